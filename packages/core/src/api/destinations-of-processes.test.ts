import { expect, test } from 'vitest';

import { VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { toContent, toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import type { TransportRequest } from '../foundation/transport.ts';

const WEBHOOK = { type: 'webhook', name: 'n', config: { url: 'https://example.com/' } };

function prepare() {
  const store = Object.assign(
    createRecordingStore(),
    createSharedMemoryStore(() => VIRTUAL_EPOCH_MS),
  );
  const sent: string[] = [];
  const transport = {
    async send({ body }: TransportRequest) {
      const ids = [...String(body).matchAll(/"gen_ai.response.id","value":\{"stringValue":"([^"]+)"/g)];
      sent.push(...ids.map(([, id = '']) => id));
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
  };
  const broadcast = { ...createBroadcastOptions(), transport };
  return { ...createAdminGateway({ recordingStore: store, broadcast }), store, sent };
}

test('what another process records from the creation of a destination on is sent, before anyone sends to it', async () => {
  const { store, sent, gateway, platform, dataOf } = prepare();
  await gateway.start();
  const { insert } = store.destinations;
  await store.generations.append(toRecord('before'), toContent('x'));
  Object.assign(store.destinations, {
    async insert(...given: Parameters<typeof insert>) {
      await insert(...given);
      // Other processes see the destination from now on; nobody looks after it yet.
      await store.generations.append(toRecord('after'), toContent('x'));
    },
  });
  await dataOf('POST', '/observability/destinations', WEBHOOK);
  await platform.advance(15_000);
  // What exports it is loaded late, from the disk.
  await expect.poll(() => sent).toEqual(['after']);
});

test('a destination that is created switched off is sent nothing of before it is switched on', async () => {
  const { store, sent, gateway, platform, dataOf } = prepare();
  await gateway.start();
  const { id } = await dataOf('POST', '/observability/destinations', { ...WEBHOOK, enabled: false });
  await store.generations.append(toRecord('off'), toContent('x'));
  await platform.advance(15_000);
  await dataOf('PATCH', `/observability/destinations/${id}`, { enabled: true });
  await store.generations.append(toRecord('on'), toContent('x'));
  await platform.advance(15_000);
  // What exports it is loaded late, from the disk.
  await expect.poll(() => sent).toEqual(['on']);
});
