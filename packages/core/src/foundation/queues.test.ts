import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createBoundedQueue, createTurns, runAtOnce, runInSlices, type SlicingPlatform, type Steps } from './queues.ts';

function setUp() {
  const platform = createVirtualPlatform();
  const { run } = createBoundedQueue(platform, 10);
  const begun: string[] = [];
  const begin = (name: string, weight = 20): (() => void) => {
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    run(() => {
      begun.push(name);
      return done;
    }, weight);
    return finish;
  };
  return { platform, begun, begin };
}

test('begins the first piece of work at once, and the next one when it is done and others have had a turn', async () => {
  const { platform, begun, begin } = setUp();
  const finishFirst = begin('first');
  begin('second');
  begin('third');
  expect(begun).toEqual(['first']);
  finishFirst();
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual(['first']);
  await platform.advance(0);
  expect(begun).toEqual(['first', 'second']);
});

test('begins at once again when everything is done', async () => {
  const { platform, begun, begin } = setUp();
  begin('first')();
  await Promise.resolve();
  await platform.advance(0);
  begin('second');
  expect(begun).toEqual(['first', 'second']);
});

test('has as much under way as its capacity, in order', async () => {
  const { platform, begun, begin } = setUp();
  const finishFirst = begin('first', 4);
  const finishSecond = begin('second', 4);
  const finishThird = begin('third', 4);
  begin('fourth', 1);
  expect(begun).toEqual(['first', 'second']);
  finishSecond();
  await platform.advance(0);
  expect(begun).toEqual(['first', 'second', 'third', 'fourth']);
  begin('fifth');
  finishFirst();
  finishThird();
  await platform.advance(0);
  expect(begun).toEqual(['first', 'second', 'third', 'fourth']);
});

/** Steps of these lengths; `log` notes the time of each. */
function* work(stepsMs: readonly number[], clock: { ms: number }, log: string[]): Steps<string> {
  for (const ms of stepsMs) {
    log.push(`step at ${clock.ms}`);
    clock.ms += ms;
    yield;
  }
  return 'done';
}

interface Slicing extends SlicingPlatform {
  readonly clock: { ms: number };
  readonly log: string[];
}

function createSlicing(): Slicing {
  const clock = { ms: 0 };
  const log: string[] = [];
  return {
    clock,
    log,
    monotonicNow: () => clock.ms,
    async nextTurn() {
      log.push('pause');
    },
    setTimer: () => () => undefined,
  };
}

test('work pauses as soon as it has taken ten milliseconds, and goes on in another turn', async () => {
  const platform = createSlicing();
  const { clock, log } = platform;
  expect(await runInSlices(work([4, 4, 4, 9, 1, 25, 3], clock, log), platform)).toBe('done');
  expect(log).toEqual([
    'step at 0',
    'step at 4',
    'step at 8',
    'pause',
    'step at 12',
    'step at 21',
    'pause',
    'step at 22',
    'pause',
    'step at 47',
  ]);
});

test('work of less than a slice is done at once', () => {
  const platform = createSlicing();
  expect(runInSlices(work([4, 5], platform.clock, platform.log), platform)).toBe('done');
  expect(platform.log).toEqual(['step at 0', 'step at 4']);
});

test('work that must not pause does not', () => {
  const { clock, log } = createSlicing();
  expect(runAtOnce(work([20, 20], clock, log))).toBe('done');
  expect(log).toEqual(['step at 0', 'step at 20']);
});

test('throws what a step of the first slice throws, and rejects with what a later one does', async () => {
  function* failing(): Steps<void> {
    yield;
    throw new Error('out of order');
  }
  expect(() => runInSlices(failing(), createSlicing())).toThrow('out of order');
  const platform = createSlicing();
  function* failingLater(): Steps<void> {
    yield* work([20], platform.clock, platform.log);
    throw new Error('out of order');
  }
  await expect(runInSlices(failingLater(), platform)).rejects.toThrow('out of order');
});

test('a platform without turns pauses with a timer', async () => {
  const { nextTurn: _, ...platform } = createSlicing();
  const timers: (() => void)[] = [];
  const setTimer: SlicingPlatform['setTimer'] = (callback) => {
    timers.push(callback);
    return () => undefined;
  };
  const result = runInSlices(work([10, 1], platform.clock, platform.log), { ...platform, setTimer });
  expect(timers).toHaveLength(1);
  timers[0]?.();
  expect(await result).toBe('done');
});

test('work is done one piece after the other, and a piece that fails fails alone', async () => {
  const inTurn = createTurns();
  const begun: number[] = [];
  let finish = (): void => undefined;
  const first = inTurn(() => {
    begun.push(1);
    return new Promise<string>((resolve) => (finish = () => resolve('one')));
  });
  const second = inTurn(() => {
    begun.push(2);
    throw new Error('two');
  });
  const third = inTurn(() => begun.push(3));
  await Promise.resolve();
  expect(begun).toEqual([1]);
  finish();
  await expect(first).resolves.toBe('one');
  await expect(second).rejects.toThrow('two');
  await expect(third).resolves.toBe(3);
  expect(begun).toEqual([1, 2, 3]);
});
