import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const idle = createScriptedTransport();

test('returns which process responds and where it stores its data, as far as the host provides it', async () => {
  const { get } = createCoreGateway(idle, {
    instance: { version: '1.2.3', host: 'gw-2', processId: 4711, worker: { number: 2, of: 4 } },
    recordingStore: Object.assign(createRecordingStore({}), {
      engine: { type: 'postgres', address: 'db.example:5432', database: 'gateway', outage: () => null },
    }),
  });
  expect(jsonOf(await get('/admin/v1/instance', MANAGEMENT_KEY))).toEqual({
    data: {
      id: expect.stringMatching(/./),
      version: '1.2.3',
      host: 'gw-2',
      process_id: 4711,
      worker: { number: 2, of: 4 },
      trouble: null,
      reason: null,
      store: { type: 'postgres', address: 'db.example:5432', database: 'gateway', outage: null },
      shared: null,
    },
  });
});

test('tells nothing of the process where the host does not', async () => {
  const { get } = createCoreGateway(idle);
  expect(jsonOf(await get('/admin/v1/instance', MANAGEMENT_KEY))).toMatchObject({
    data: { version: null, host: null, process_id: null, worker: null, store: { type: 'memory', address: null } },
  });
});

test('says why an engine does not respond to management, and to anybody that it does not', async () => {
  let storeOutage: string | null = null;
  let sharedOutage: string | null = 'Redis at r.example:6379 does not respond';
  const { get } = createCoreGateway(idle, {
    recordingStore: Object.assign(createRecordingStore({}), {
      engine: { type: 'postgres', address: 'db.example:5432', outage: () => storeOutage },
    }),
    shared: { engine: { type: 'redis', address: 'r.example:6379', outage: () => sharedOutage } },
  });
  const look = async () => [
    jsonOf(await get('/health', null)),
    jsonOf(await get('/admin/v1/instance', MANAGEMENT_KEY)),
  ];
  expect(await look()).toMatchObject([
    { status: 'ok', trouble: 'shared_away' },
    { data: { trouble: 'shared_away', reason: sharedOutage, shared: { type: 'redis', outage: sharedOutage } } },
  ]);
  storeOutage = 'PostgreSQL at db.example:5432 cannot be reached';
  expect(await look()).toMatchObject([
    { status: 'ok', trouble: 'store_away' },
    { data: { trouble: 'store_away', reason: storeOutage, store: { outage: storeOutage } } },
  ]);
  storeOutage = sharedOutage = null;
  expect((await look())[0]).toEqual({ status: 'ok' });
});
