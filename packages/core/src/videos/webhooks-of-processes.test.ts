import { expect, test } from 'vitest';

import { VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import {
  createSharedMemoryStore,
  type SharedMemoryStore,
} from '../../../../test/support/stores/shared-memory-store.ts';
import { createVideoProcess, type VideoProcess } from '../../../../test/support/videos/video-processes.ts';
import type { TransportRequest, TransportResponse } from '../foundation/transport.ts';

const MINUTE_MS = 60_000;
const HOOK = { callback_url: 'https://hooks.example/a' };

interface Announcing extends VideoProcess {
  readonly sent: readonly TransportRequest[];
}

function createAnnouncing(store: SharedMemoryStore, statusOf: (attempt: number) => number | 'never'): Announcing {
  const sent: TransportRequest[] = [];
  const send = (request: TransportRequest): Promise<TransportResponse> => {
    const status = statusOf(sent.push(request));
    if (status === 'never') return new Promise(() => undefined);
    return Promise.resolve({ status, headers: {}, body: (async function* () {})() });
  };
  const webhooks = { signingSecrets: ['a secret of ours'], findUrlProblem: () => undefined, transport: { send } };
  return { ...createVideoProcess(store, {}, { webhooks }), sent };
}

async function advanceAll(processes: readonly VideoProcess[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    for (const { platform } of processes) await platform.advance(1000);
  }
}

test('168: a process that dies while it announces is followed by another, with the same id and body', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const dead = createAnnouncing(store, () => 'never');
  const [one, other] = [createAnnouncing(store, () => 200), createAnnouncing(store, () => 200)];
  await Promise.all([dead, one, other].map(({ gateway }) => gateway.start()));
  const id = await dead.submit(HOOK);
  await advanceAll([dead, one, other], 30_000);
  expect([dead.sent.length, one.sent, other.sent]).toEqual([1, [], []]);
  await advanceAll([one, other], 75_000);
  const after = [...one.sent, ...other.sent];
  expect(after).toHaveLength(1);
  expect(after[0]?.body).toBe(dead.sent[0]?.body);
  expect(after[0]?.headers['webhook-id']).toBe(dead.sent[0]?.headers['webhook-id']);
  expect(await store.videoJobs.get(id)).toMatchObject({ delivery: { state: 'delivered' } });
});

test('168: what waits for another attempt is tried by the process that tried it, and after its death by another', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const failing = createAnnouncing(store, () => 500);
  const other = createAnnouncing(store, () => 200);
  await Promise.all([failing.gateway.start(), other.gateway.start()]);
  await failing.submit(HOOK);
  await advanceAll([failing, other], 12 * MINUTE_MS);
  expect([failing.sent.length > 2, other.sent]).toEqual([true, []]);
  await other.platform.advance(60 * MINUTE_MS);
  expect(other.sent).toHaveLength(1);
});

test('an announcement is sent again by any process, at once, though another waits to try it', async () => {
  const store = createSharedMemoryStore(() => VIRTUAL_EPOCH_MS);
  const failing = createAnnouncing(store, () => 500);
  const other = createAnnouncing(store, () => 200);
  await Promise.all([failing.gateway.start(), other.gateway.start()]);
  const id = await failing.submit(HOOK);
  await advanceAll([failing, other], 2 * MINUTE_MS);
  const tried = failing.sent.length;
  const { status } = await other.call('POST', `/admin/v1/webhooks/deliveries/${id}/resend`);
  await advanceAll([other, failing], 2000);
  expect(other.sent).toHaveLength(1);
  await advanceAll([other, failing], 20 * MINUTE_MS);
  expect([status, other.sent.length, failing.sent.length]).toEqual([202, 1, tried]);
  expect(other.sent[0]?.headers['webhook-id']).toBe(failing.sent[0]?.headers['webhook-id']);
});
