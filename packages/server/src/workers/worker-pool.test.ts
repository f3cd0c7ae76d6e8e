import { expect, test } from 'vitest';

import type { WorkerPlace } from '../process/worker-place.ts';
import { createWorkerPool, type WorkerProcess } from './worker-pool.ts';

interface Started {
  readonly place: WorkerPlace;
  readonly told: unknown[];
  readonly signals: string[];
  listen(): void;
  end(code: number | null, signal?: string): void;
  fail(error: Error): void;
}

/** A pool whose workers do what the test says, in virtual time. */
function setUp(count: number) {
  const started: Started[] = [];
  const announced: string[] = [];
  const failedStarts: (number | null)[] = [];
  const timers: { at: number; callback: () => void }[] = [];
  const logged: unknown[] = [];
  const clock = { now: 0 };
  const fork = (place: WorkerPlace): WorkerProcess => {
    let onMessage: (message: unknown) => void = () => undefined;
    let onExit: (code: number | null, signal: string | null) => void = () => undefined;
    let onFailure: (error: Error) => void = () => undefined;
    const told: unknown[] = [];
    const signals: string[] = [];
    started.push({
      place,
      told,
      signals,
      listen: () => onMessage({ type: 'listening', url: 'http://127.0.0.1:1' }),
      end: (code, signal) => onExit(code, signal ?? null),
      fail: (error) => onFailure(error),
    });
    return {
      pid: 100 + started.length,
      onMessage: (listener) => void (onMessage = listener),
      onExit: (listener) => void (onExit = listener),
      onFailure: (listener) => void (onFailure = listener),
      send: (message) => void told.push(message),
      kill: (signal) => void signals.push(signal),
    };
  };
  const log = (_message: string, fields?: unknown): void => void logged.push(fields);
  const pool = createWorkerPool({
    count,
    fork,
    logger: { info: log, warn: log, error: log },
    now: () => clock.now,
    setTimer: (callback, delayMs) => void timers.push({ at: clock.now + delayMs, callback }),
    onListening: (url) => void announced.push(url),
    onFailedStart: (code) => void failedStarts.push(code),
  });
  const advance = (ms: number): void => {
    clock.now += ms;
    for (const timer of timers.splice(0)) {
      if (timer.at <= clock.now) timer.callback();
      else timers.push(timer);
    }
  };
  pool.start();
  return { pool, started, announced, failedStarts, logged, advance };
}

/** All of them listen. */
function setUpRunning(count: number) {
  const running = setUp(count);
  for (let index = 0; index < count; index += 1) running.started[index]?.listen();
  return running;
}

test('the first worker starts alone, the others when it listens, and all are announced in one line', () => {
  const { started, announced } = setUp(3);
  expect(started.map(({ place }) => place)).toEqual([{ slot: 1, of: 3, isFirst: true }]);
  started[0]?.listen();
  expect(started.map(({ place }) => place.slot)).toEqual([1, 2, 3]);
  started[1]?.listen();
  expect(announced).toEqual([]);
  started[2]?.listen();
  expect(announced).toEqual(['http://127.0.0.1:1']);
});

test('a first worker that cannot start ends the start with its exit code, and no other is tried', () => {
  const { started, failedStarts, advance } = setUp(2);
  started[0]?.end(2);
  advance(60_000);
  expect(failedStarts).toEqual([2]);
  expect(started).toHaveLength(1);
});

test('a first worker that cannot say itself why it has ended is reported', () => {
  const reports = [
    (worker: Started | undefined) => worker?.end(null, 'SIGKILL'),
    (worker: Started | undefined) => worker?.end(0),
    (worker: Started | undefined) => worker?.fail(new Error('spawn EAGAIN')),
  ].map((endIt) => {
    const { started, failedStarts, logged } = setUp(2);
    endIt(started[0]);
    expect(failedStarts).toHaveLength(1);
    return logged;
  });
  expect(reports).toEqual([
    [{ code: null, signal: 'SIGKILL' }],
    [{ code: 0, signal: null }],
    [{ error: new Error('spawn EAGAIN') }],
  ]);
});

test('a worker that dies is replaced at once at its place, and nothing is announced again', () => {
  const { started, announced, logged, advance } = setUpRunning(2);
  advance(60_000);
  started[1]?.end(null, 'SIGKILL');
  expect(started.at(-1)?.place).toEqual({ slot: 2, of: 2, isFirst: false });
  started[2]?.listen();
  expect(announced).toHaveLength(1);
  expect(logged).toEqual([{ worker: 2, pid: 102, code: null, signal: 'SIGKILL', waitMs: 0 }]);
});

test('one that dies again and again is replaced after a growing wait, until it has lived for a while', () => {
  const { started, logged, advance } = setUpRunning(2);
  for (const _ of Array.from({ length: 8 })) {
    started.at(-1)?.end(1);
    advance(10_000);
  }
  const waits = (logged as { waitMs: number }[]).map(({ waitMs }) => waitMs);
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  started.at(-1)?.listen();
  advance(10_000);
  started.at(-1)?.end(1);
  expect((logged.at(-1) as { waitMs: number }).waitMs).toBe(0);
});

test('a replacement that cannot be started is tried again', () => {
  const { started, logged, advance } = setUpRunning(2);
  advance(60_000);
  started[1]?.end(1);
  started[2]?.fail(new Error('spawn ENOENT'));
  expect(logged.at(-1)).toEqual({ worker: 2, pid: 103, waitMs: 250, error: new Error('spawn ENOENT') });
  advance(250);
  expect(started).toHaveLength(4);
  expect(started[3]?.place).toEqual({ slot: 2, of: 2, isFirst: false });
});

test('nothing is announced while no worker listens', () => {
  const { started, announced, advance } = setUp(2);
  started[0]?.listen();
  started[0]?.end(1);
  expect(announced).toEqual([]);
  started[1]?.end(1);
  expect(announced).toEqual([]);
  advance(250);
  started[2]?.listen();
  started[3]?.end(1);
  expect(announced).toHaveLength(1);
});

test('a start in which another worker fails is announced without it', () => {
  const { started, announced, advance } = setUp(2);
  started[0]?.listen();
  started[1]?.end(1);
  expect(announced).toHaveLength(1);
  advance(250);
  expect(started.at(-1)?.place).toEqual({ slot: 2, of: 2, isFirst: false });
});

test('a stop tells those that listen, signals those that do not yet, and waits for all', async () => {
  const { pool, started, advance } = setUpRunning(2);
  advance(60_000);
  started[1]?.end(1);
  const stopped = pool.stop();
  expect([started[0]?.told, started[0]?.signals]).toEqual([[{ type: 'stop' }], []]);
  expect([started[2]?.told, started[2]?.signals]).toEqual([[], ['SIGTERM']]);
  started[2]?.end(0);
  started[0]?.end(0);
  expect(await stopped).toBe(true);
  advance(60_000);
  expect(started).toHaveLength(3);
});

test.each(['SIGTERM', 'SIGINT'])(
  'a worker that %s ends before it can stop by itself ends as it should',
  async (signal) => {
    const { pool, started } = setUp(2);
    const stopped = pool.stop();
    started[0]?.end(null, signal);
    expect(await stopped).toBe(true);
  },
);

test('a stop in which a worker fails says so', async () => {
  const { pool, started } = setUpRunning(2);
  const stopped = pool.stop();
  started[0]?.end(0);
  started[1]?.end(1);
  expect(await stopped).toBe(false);
});

test('a reload reaches those that listen, an end by force all', () => {
  const { pool, started } = setUp(2);
  started[0]?.listen();
  pool.reload();
  pool.kill();
  expect(started.map(({ signals }) => signals)).toEqual([['SIGHUP', 'SIGKILL'], ['SIGKILL']]);
});

test('a worker that starts during a reload reads the configuration again when it listens', () => {
  const { pool, started } = setUp(2);
  started[0]?.listen();
  pool.reload();
  started[1]?.listen();
  expect(started.map(({ signals }) => signals)).toEqual([['SIGHUP'], ['SIGHUP']]);
  started[1]?.end(1);
  expect(started[1]?.signals).toEqual(['SIGHUP']);
});
