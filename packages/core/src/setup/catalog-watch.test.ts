import { beforeAll, expect, onTestFinished, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import { createScriptedTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { createOpenAiProvider } from '../providers/openai/openai-provider.ts';
import type { CatalogState } from '../wire/catalog-comparison.ts';

const HOUR_MS = 60 * 60 * 1000;

// The gateway loads these late, and a virtual clock does not wait for the disk.
beforeAll(() => Promise.all([import('./compare-catalog.ts'), import('../providers/openai/models.ts')]));

/** A provider whose list states this completion price, and how often it was asked. */
function createLister(price = '0.000004') {
  const state = { price, status: 200, asked: 0 };
  const transport = createScriptedTransport((exchange) => {
    state.asked += 1;
    exchange.respond(state.status, { 'content-type': 'application/json' });
    exchange.push(
      JSON.stringify({ data: [{ id: 'chat-1', pricing: { prompt: '0.000001', completion: state.price } }] }),
    );
    exchange.end();
  });
  const baseUrl = 'https://acme.example/v1';
  return { state, transport, provider: createOpenAiProvider({ slug: 'acme', name: 'Acme', baseUrl, transport }) };
}

const MODELS = [
  {
    id: 'acme/chat',
    endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } }],
  },
];

async function start(lister: ReturnType<typeof createLister>, options: Parameters<typeof createAdminGateway>[0] = {}) {
  const admin = createAdminGateway({
    providers: [lister.provider],
    models: MODELS,
    catalogUpdates: { everyMs: 24 * HOUR_MS },
    timeouts: { drainMs: 0 },
    ...options,
  });
  onTestFinished(() => admin.gateway.close());
  await admin.gateway.start();
  await admin.platform.advance(1);
  const stateOf = async () => (await admin.dataOf('GET', '/admin/v1/setup/catalog')) as unknown as CatalogState;
  return { ...admin, stateOf };
}

test('compares at the start and then on the schedule, and shows what it found', async () => {
  const lister = createLister();
  const { platform, stateOf } = await start(lister);
  expect(await stateOf()).toMatchObject({
    every_hours: 24,
    latest: { changes: [{ model: 'acme/chat', field: 'pricing.completion', from: '0.000002', to: '0.000004' }] },
  });
  expect(lister.state.asked).toBe(1);
  lister.state.price = '0.000005';
  await platform.advance(23 * HOUR_MS);
  expect(lister.state.asked).toBe(1);
  await platform.advance(2 * HOUR_MS);
  expect(lister.state.asked).toBe(2);
  expect((await stateOf()).latest?.changes).toMatchObject([{ to: '0.000005' }]);
});

test('a gateway that starts again goes on with what was found, until the next comparison is due', async () => {
  const lister = createLister();
  const first = await start(lister);
  const second = await start(lister, { recordingStore: first.store });
  expect(lister.state.asked).toBe(1);
  expect((await second.stateOf()).latest?.changes).toHaveLength(1);
});

test('what is not as it was compared any more is not shown', async () => {
  const lister = createLister();
  const { gateway, stateOf } = await start(lister);
  const pricing = { prompt: '0.000001', completion: '0.000004' };
  gateway.configure({
    providers: [lister.provider],
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1', pricing }] }],
  });
  expect((await stateOf()).latest?.changes).toEqual([]);
});

test('of several processes at one store one compares, and all show what it found', async () => {
  const lister = createLister();
  const { now } = createVirtualPlatform();
  const shared = createSharedMemoryStore(now);
  const recordingStore = Object.assign(createRecordingStore(), shared);
  const [one, other] = await Promise.all([start(lister, { recordingStore }), start(lister, { recordingStore })]);
  expect(lister.state.asked).toBe(1);
  expect((await one.stateOf()).latest?.changes).toHaveLength(1);
  expect((await other.stateOf()).latest?.changes).toHaveLength(1);
});

test('reads the list of an address where one is named, and tries again when it cannot', async () => {
  const lister = createLister();
  lister.state.status = 503;
  const { platform, stateOf, logged } = await start(lister, {
    web: { transport: lister.transport },
    catalogUpdates: { everyMs: 24 * HOUR_MS, source: { provider: 'acme', url: 'https://lists.example/models' } },
  });
  expect((await stateOf()).latest).toBeNull();
  expect(logged.map(({ line }) => line)).toContain('warn the catalog could not be compared with lists of models');
  lister.state.status = 200;
  await platform.advance(HOUR_MS);
  expect((await stateOf()).latest).toMatchObject({ lists: [{ from: 'https://lists.example/models' }] });
});

test('reads a document anew for each comparison', async () => {
  const lister = createLister();
  const prices = ['0.0000011', '0.0000012'];
  const source = async () => ({
    provider: 'acme',
    document: { data: [{ id: 'chat-1', pricing: { prompt: prices.shift() ?? '0', completion: '0.000002' } }] },
  });
  const { platform, stateOf } = await start(lister, { catalogUpdates: { everyMs: 24 * HOUR_MS, source } });
  const promptOf = async () => (await stateOf()).latest?.changes.find(({ field }) => field === 'pricing.prompt')?.to;
  expect(await promptOf()).toBe('0.0000011');
  await platform.advance(25 * HOUR_MS);
  expect(await promptOf()).toBe('0.0000012');
  expect(lister.state.asked).toBe(0);
});

test('compares nothing by itself without a schedule', async () => {
  const lister = createLister();
  const { platform, stateOf } = await start(lister, { catalogUpdates: undefined });
  await platform.advance(48 * HOUR_MS);
  expect(lister.state.asked).toBe(0);
  expect(await stateOf()).toEqual({ latest: null, every_hours: null });
});
