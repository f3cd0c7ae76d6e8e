import { expect, test, vi } from 'vitest';

import { createDeferred } from '../../../../../test/support/async/deferred.ts';
import { createVirtualPlatform, settle, VIRTUAL_EPOCH_MS } from '../../../../../test/support/async/virtual-platform.ts';
import { createSharedMemoryStore } from '../../../../../test/support/stores/shared-memory-store.ts';
import type { VideoJob } from '../../stores/video-job.ts';
import { createIdempotencyGuard } from './idempotency.ts';

const CALL = { principalId: 'caller', key: 'once', bodyHash: 'a' };
const OTHER_BODY = { ...CALL, bodyHash: 'b' };
const MINUTE_MS = 60_000;

const toJob = (id: string): VideoJob =>
  ({
    id,
    principalId: 'caller',
    createdAt: VIRTUAL_EPOCH_MS,
    status: 'pending',
    idempotency: { key: 'once', bodyHash: 'a' },
  }) as VideoJob;

/** Two processes at one store, in one time. */
function createProcesses() {
  const platform = createVirtualPlatform();
  const store = createSharedMemoryStore(() => platform.monotonicNow());
  const [one, other] = [createIdempotencyGuard(store, platform), createIdempotencyGuard(store, platform)];
  const make = async (id: string): Promise<VideoJob> => {
    await store.videoJobs.insert(toJob(id));
    return toJob(id);
  };
  return { platform, store, one, other, make };
}

test('198: calls with one key on two processes at the same moment make one job, which both receive', async () => {
  const { platform, one, other, make } = createProcesses();
  const upstream = createDeferred<void>();
  const first = vi.fn<() => Promise<VideoJob>>(async () => {
    await upstream.promise;
    return make('first');
  });
  const second = vi.fn<() => Promise<VideoJob>>(() => make('second'));
  const jobs = Promise.all([one.once(CALL, first), other.once(CALL, second)]);
  await platform.advance(5000);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  upstream.resolve();
  await platform.advance(1000);
  expect((await jobs).map(({ id }) => id)).toEqual(['first', 'first']);
  expect(second).not.toHaveBeenCalled();
});

test('198: another body with a key is refused on another process, while the first is under way and after it', async () => {
  const { platform, one, other, make } = createProcesses();
  const upstream = createDeferred<void>();
  const first = one.once(CALL, async () => {
    await upstream.promise;
    return make('first');
  });
  await settle();
  await expect(other.once(OTHER_BODY, () => make('second'))).rejects.toMatchObject({ code: 'conflict' });
  upstream.resolve();
  await platform.advance(1000);
  await first;
  await expect(other.once(OTHER_BODY, () => make('second'))).rejects.toMatchObject({ code: 'conflict' });
});

test('198: a call that failed leaves its key free on other processes', async () => {
  const { one, other, make } = createProcesses();
  await expect(one.once(CALL, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await other.once(CALL, () => make('second'))).toMatchObject({ id: 'second' });
});

test('198: a submission may last for minutes, and a call that has waited for one of them is told to come again', async () => {
  const { platform, one, other, make } = createProcesses();
  const upstream = createDeferred<void>();
  const first = one.once(CALL, async () => {
    await upstream.promise;
    return make('first');
  });
  await platform.advance(3 * MINUTE_MS);
  const second = other.once(CALL, () => make('second'));
  await Promise.all([expect(second).rejects.toMatchObject({ code: 'conflict' }), platform.advance(MINUTE_MS + 1000)]);
  upstream.resolve();
  await platform.advance(1000);
  expect(await first).toMatchObject({ id: 'first' });
  expect(await other.once(CALL, () => make('third'))).toMatchObject({ id: 'first' });
});

test('198: the key of a process that died while it submitted is free a minute later; a job that it stored is found', async () => {
  const { platform, store, other, make } = createProcesses();
  const dead = createVirtualPlatform();
  dead.randomBytes(100);
  const died = createIdempotencyGuard(store, dead);
  void died.once(CALL, () => new Promise(() => undefined));
  await settle();
  const waiting = other.once(CALL, () => make('second'));
  await platform.advance(MINUTE_MS - 1000);
  expect(await store.videoJobs.list()).toEqual([]);
  await platform.advance(2000);
  expect(await waiting).toMatchObject({ id: 'second' });

  void died.once({ ...CALL, key: 'stored' }, async () => {
    await store.videoJobs.insert({ ...toJob('third'), idempotency: { key: 'stored', bodyHash: 'a' } });
    return new Promise(() => undefined);
  });
  await settle();
  const found = other.once({ ...CALL, key: 'stored' }, () => make('fourth'));
  await platform.advance(MINUTE_MS + 1000);
  expect(await found).toMatchObject({ id: 'third' });
});

test('198: nothing is submitted with a key while the store cannot tell whether it was used', async () => {
  const { store, one, make } = createProcesses();
  store.isAway = true;
  await expect(one.once(CALL, () => make('first'))).rejects.toThrow('the store is away');
  expect(await store.videoJobs.list()).toEqual([]);
});
