import { beforeAll, expect, test } from 'vitest';

import {
  createVirtualPlatform,
  VIRTUAL_EPOCH_MS,
  type VirtualPlatform,
} from '../../../../test/support/async/virtual-platform.ts';
import { type BroadcastBench, createBroadcastBench } from '../../../../test/support/broadcast/broadcast-bench.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import {
  createSharedMemoryStore,
  type SharedMemoryStore,
} from '../../../../test/support/stores/shared-memory-store.ts';
import type { TransportRequest } from '../foundation/transport.ts';
import type { BroadcastDelivery } from '../stores/rows.ts';
import { createSharedBroadcaster } from './shared-broadcaster.ts';

const WEBHOOK = { type: 'webhook' as const, config: { url: 'https://a/', method: 'POST' } };
const MINUTE_MS = 60_000;

interface Process extends BroadcastBench {
  readonly platform: VirtualPlatform;
  /** Ids of generations in the order in which they were sent. */
  readonly sent: readonly string[];
}

let processes = 0;

type StatusOf = (call: number) => number | 'never' | Promise<number>;

function createProcess(store: SharedMemoryStore, statusOf: StatusOf = () => 200): Process {
  const platform = createVirtualPlatform();
  processes += 1;
  platform.randomBytes(100 * processes);
  const sent: string[] = [];
  let calls = 0;
  const transport = {
    async send({ body }: TransportRequest) {
      const ids = [...String(body).matchAll(/"gen_ai.response.id","value":\{"stringValue":"([^"]+)"/g)];
      sent.push(...ids.map(([, id = '']) => id));
      const status = await statusOf(calls++);
      if (status === 'never') await new Promise(() => undefined);
      return { status: Number(status), headers: {}, body: (async function* () {})() };
    },
  };
  const broadcast = { ...createBroadcastOptions(), transport };
  return { ...createBroadcastBench({ store, platform, broadcast, create: createSharedBroadcaster }), platform, sent };
}

async function advanceAll(all: readonly Process[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    for (const { platform } of all) await platform.advance(500);
  }
}

async function createProcesses(...scripts: Parameters<typeof createProcess>[1][]) {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const all = scripts.map((script) => createProcess(store, script));
  for (const { broadcaster } of all) await broadcaster.start();
  return { store, all: all as [Process, Process, ...Process[]] };
}

const idsOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `n${from + index}`);

// Modules that are imported on first use take real time to load, which virtual time does not cover.
beforeAll(async () => {
  const [webhookFormat] = createBroadcastOptions().formats;
  await webhookFormat?.toRequests([], { url: 'https://a/', method: 'POST' });
});

test('one process sends what all of them record, each generation once', async () => {
  const { all } = await createProcesses(undefined, undefined, undefined);
  const [one, other, third] = all as [Process, Process, Process];
  await other.add('d', WEBHOOK);
  for (const { broadcaster } of all) await broadcaster.refresh();
  for (const [index, id] of idsOf(0, 300).entries()) await all[index % 3]?.record(id);
  await advanceAll(all, 15_000);
  expect([one.sent, third.sent]).toEqual([[], []]);
  expect(other.sent).toEqual(idsOf(0, 300));
});

test('another process goes on within 40 seconds after a death, without a gap, and repeats at most what was not noted', async () => {
  const { all } = await createProcesses(undefined, undefined);
  const [dead, other] = all;
  await dead.add('d', WEBHOOK);
  await other.broadcaster.refresh();
  for (const id of idsOf(0, 20)) await dead.record(id);
  await advanceAll(all, 10_000);
  for (const id of idsOf(20, 30)) await other.record(id);
  await advanceAll(all, 2000);
  expect(dead.sent).toEqual(idsOf(0, 30));
  for (const id of idsOf(30, 60)) await other.record(id);
  await advanceAll([other], 40_000);
  expect([...new Set([...dead.sent, ...other.sent])]).toEqual(idsOf(0, 60));
  expect(other.sent.slice(-30)).toEqual(idsOf(30, 60));
  expect(other.sent.length).toBeLessThanOrEqual(40);
});

test('a process that stands still for longer than it owns a destination sends no more for it', async () => {
  const { all } = await createProcesses(undefined, undefined);
  const [still, other] = all;
  await still.add('d', WEBHOOK);
  await other.broadcaster.refresh();
  await advanceAll([other], MINUTE_MS);
  await other.record('n0');
  await advanceAll([other], 5000);
  await advanceAll(all, MINUTE_MS);
  await other.record('n1');
  await advanceAll(all, 10_000);
  expect(other.sent).toEqual(['n0', 'n1']);
  expect(still.sent.filter((id) => id === 'n1')).toEqual([]);
});

test('a process that is closed sends what is there, and leaves the rest to another at once', async () => {
  const { all } = await createProcesses(undefined, undefined);
  const [one, other] = all;
  await one.add('d', WEBHOOK);
  await other.broadcaster.refresh();
  await advanceAll(all, 2000);
  for (const id of idsOf(0, 5)) await one.record(id);
  await Promise.all([one.broadcaster.close(5000), one.platform.advance(6000)]);
  await other.record('n5');
  await other.platform.advance(10_000);
  expect([one.sent, other.sent]).toEqual([idsOf(0, 5), ['n5']]);
});

test('a process that is closed sends all that there is time for, however much that is', async () => {
  let respond: (status: number) => void = () => undefined;
  const first = new Promise<number>((resolve) => (respond = resolve));
  const { all } = await createProcesses((call) => (call === 0 ? first : 200));
  const [one] = all;
  await one.add('d', WEBHOOK);
  await advanceAll(all, 2000);
  for (const id of idsOf(0, 1200)) await one.record(id);
  // As many as are held at once wait for the destination.
  await one.platform.advance(5000);
  const closed = one.broadcaster.close(20_000);
  await one.platform.advance(1000);
  respond(200);
  await Promise.all([closed, one.platform.advance(20_000)]);
  expect(one.sent).toEqual(idsOf(0, 1200));
});

test('a process that is closed while a page takes long to read sends each generation once', async () => {
  const { store, all } = await createProcesses(undefined);
  const [one] = all;
  await one.add('d', WEBHOOK);
  await advanceAll(all, 2000);
  const { follow } = store.generations;
  let reads = 0;
  const slow: typeof follow = async (place, limit) => {
    reads += 1;
    const found = await follow?.(place, limit);
    if (reads === 1) await new Promise<void>((resolve) => void one.platform.setTimer(resolve, 1500));
    return found ?? { records: [], place: place ?? '' };
  };
  Object.assign(store.generations, { follow: slow });
  for (const id of idsOf(0, 5)) await one.record(id);
  await Promise.all([one.broadcaster.close(5000), one.platform.advance(6000)]);
  expect(one.sent).toEqual(idsOf(0, 5));
});

test('what a destination did not take is tried again by the next owner, and every process tells how it stands', async () => {
  const { store, all } = await createProcesses(
    () => 503,
    () => 200,
    () => 200,
  );
  const [failing, other, third] = all as [Process, Process, Process];
  await failing.add('d', WEBHOOK);
  await other.broadcaster.refresh();
  await third.broadcaster.refresh();
  await failing.record('n0');
  await advanceAll(all, 20_000);
  expect((await other.broadcaster.status()).get('d')).toMatchObject({ queued: 1, lastFailure: { result: 'HTTP 503' } });
  await advanceAll([other, third], 10 * MINUTE_MS);
  expect([...other.sent, ...third.sent]).toEqual(['n0']);
  const status = (await third.broadcaster.status()).get('d');
  expect([status?.queued, status?.lastDeliveredAt !== null]).toEqual([0, true]);
  expect((await store.broadcasts.list()).map(({ kind }) => kind)).toEqual(['feed']);
});

test('a failed delivery is sent again at once by the owner when another process is asked', async () => {
  const { store, all } = await createProcesses((call) => (call === 0 ? 400 : 200), undefined);
  const [owner, other] = all;
  await owner.add('d', WEBHOOK);
  await other.broadcaster.refresh();
  await owner.record('n0');
  await advanceAll(all, 10_000);
  const failed = (await store.broadcasts.list()).find((row): row is BroadcastDelivery => row.kind === 'delivery');
  expect(failed).toMatchObject({ state: 'failed' });
  expect(await other.broadcaster.resend(failed?.id ?? '')).toMatchObject({ state: 'waiting', attempts: 0 });
  await advanceAll(all, 10_000);
  expect([owner.sent, other.sent]).toEqual([['n0', 'n0'], []]);
});

test('a destination that was switched off and is then deleted leaves no deliveries', async () => {
  const { store, all } = await createProcesses(() => 400, undefined);
  const [owner, other] = all;
  await owner.add('d', WEBHOOK);
  await other.broadcaster.refresh();
  await owner.record('n0');
  await advanceAll(all, 10_000);
  const updated_at = new Date(owner.platform.now()).toISOString();
  await store.destinations.update('d', (row) => ({ ...row, enabled: false, updated_at }));
  for (const { broadcaster } of all) await broadcaster.refresh();
  expect(await store.broadcasts.list()).toMatchObject([{ kind: 'delivery', state: 'failed' }]);
  await store.destinations.remove('d');
  await other.broadcaster.refresh();
  expect(await store.broadcasts.list()).toEqual([]);
});

test('a destination that is down keeps what comes in the store, however much, and then gets all of it', async () => {
  let isDown = true;
  const { store, all } = await createProcesses(() => (isDown ? 503 : 200), undefined);
  const [owner, other] = all;
  await owner.add('d', WEBHOOK);
  for (const id of idsOf(0, 3000)) await other.record(id, {}, null);
  await advanceAll(all, 5 * MINUTE_MS);
  expect((await owner.broadcaster.status()).get('d')?.queued).toBeLessThanOrEqual(750);
  isDown = false;
  const before = owner.sent.length;
  await advanceAll(all, 40 * MINUTE_MS);
  expect(new Set(owner.sent.slice(before)).size).toBe(3000);
  expect((await store.broadcasts.list()).map(({ kind }) => kind)).toEqual(['feed']);
}, 60_000);

test('generations of before a destination was added, or while it was off, are not sent', async () => {
  const { store, all } = await createProcesses(undefined, undefined);
  const [one, other] = all;
  await one.record('n0');
  await one.add('d', WEBHOOK);
  await one.record('n1');
  await advanceAll(all, 10_000);
  const change = async (enabled: boolean): Promise<void> => {
    const updated_at = new Date(one.platform.now()).toISOString();
    await store.destinations.update('d', (row) => ({ ...row, enabled, updated_at }));
    for (const { broadcaster } of all) await broadcaster.refresh();
  };
  await change(false);
  await other.record('n2');
  await advanceAll(all, 10_000);
  await change(true);
  await other.record('n3');
  await advanceAll(all, 10_000);
  expect([...one.sent, ...other.sent]).toEqual(['n1', 'n3']);
  await store.destinations.remove('d');
  for (const { broadcaster } of all) await broadcaster.refresh();
  expect(await store.broadcasts.list()).toEqual([]);
});
