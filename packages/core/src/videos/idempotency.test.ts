import { expect, test, vi } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { createVirtualPlatform, settle, VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
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

/** A process whose timers do not fire, as if it were paused, at the store of the others. */
function createPaused({ store, platform }: ReturnType<typeof createProcesses>) {
  const setTimer = (): (() => void) => () => undefined;
  const paused = { ...createVirtualPlatform(), monotonicNow: platform.monotonicNow, setTimer };
  paused.randomBytes(100);
  return createIdempotencyGuard(store, paused);
}

test('198: a process that was paused before it stored its job gives the job of the one that took its turn', async () => {
  const processes = createProcesses();
  const { platform, store, other, make } = processes;
  const pause = createDeferred<void>();
  const submitted: string[] = [];
  const late = createPaused(processes).once(CALL, async (confirm) => {
    await pause.promise;
    const job = await make('late');
    if (await confirm(job.id)) submitted.push(job.id);
    else {
      await store.videoJobs.remove(job.id);
      throw new Error('has to go');
    }
    return job;
  });
  await platform.advance(MINUTE_MS + 1000);
  expect(await other.once(CALL, () => make('second'))).toMatchObject({ id: 'second' });
  pause.resolve();
  expect(await late).toMatchObject({ id: 'second' });
  expect(submitted).toEqual([]);
  expect((await store.videoJobs.list()).map(({ id }) => id)).toEqual(['second']);
});

test('198: a process that was paused after it stored its job goes on, and the one that took its turn gives that job', async () => {
  const processes = createProcesses();
  const { platform, other, make } = processes;
  const pause = createDeferred<void>();
  const late = createPaused(processes).once(CALL, async (confirm) => {
    const job = await make('late');
    await pause.promise;
    expect(await confirm(job.id)).toBe(true);
    return job;
  });
  await platform.advance(MINUTE_MS + 1000);
  expect(await other.once(CALL, () => make('second'))).toMatchObject({ id: 'late' });
  pause.resolve();
  expect(await late).toMatchObject({ id: 'late' });
});

test('198: a process that goes on after a pause does not take the claim back from the one that has it', async () => {
  const { platform, store, one, other, make } = createProcesses();
  const [pause, upstream] = [createDeferred<void>(), createDeferred<void>()];
  const { renew } = store.entries;
  // Its renewals do not arrive for as long as it is paused.
  store.entries.renew = () => Promise.reject(new Error('paused'));
  const late = one.once(CALL, async () => {
    await pause.promise;
    throw new Error('gave up');
  });
  await platform.advance(MINUTE_MS + 1000);
  store.entries.renew = renew;
  const taken = other.once(CALL, async () => {
    await upstream.promise;
    return make('second');
  });
  await platform.advance(MINUTE_MS / 2);
  pause.resolve();
  await expect(late).rejects.toThrow('gave up');
  await platform.advance(1000);
  await expect(one.once(OTHER_BODY, () => make('third'))).rejects.toMatchObject({ code: 'conflict' });
  upstream.resolve();
  expect(await taken).toMatchObject({ id: 'second' });
});

test('198: nothing is submitted with a key while the store cannot tell whether it was used', async () => {
  const { store, one, make } = createProcesses();
  store.isAway = true;
  await expect(one.once(CALL, () => make('first'))).rejects.toThrow('the store is away');
  expect(await store.videoJobs.list()).toEqual([]);
});
