import { EventEmitter } from 'node:events';

import { expect, test, vi } from 'vitest';

import { stopOnSignals } from './signals.ts';

function setUp(stop: () => Promise<void>) {
  const events = new EventEmitter();
  const exits: number[] = [];
  let resolveExited: (code: number) => void = () => undefined;
  const exited = new Promise<number>((resolve) => (resolveExited = resolve));
  const errors: unknown[] = [];
  const logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (_message: string, fields?: unknown) => void errors.push(fields),
  };
  const clock = { now: 0 };
  const stops = { count: 0 };
  stopOnSignals({
    events,
    logger,
    limitMs: 60_000,
    now: () => clock.now,
    stop() {
      stops.count++;
      return stop();
    },
    exit(code) {
      exits.push(code);
      resolveExited(code);
    },
  });
  return { events, exits, exited, errors, clock, stops };
}

const never = (): Promise<void> => new Promise(() => undefined);

test.each(['SIGTERM', 'SIGINT'])('%s lets everything end and exits with 0', async (signal) => {
  let end: () => void = () => undefined;
  const { events, exits, exited, stops } = setUp(() => new Promise((resolve) => (end = resolve)));
  events.emit(signal);
  expect(exits).toEqual([]);
  end();
  expect(await exited).toBe(0);
  expect(stops.count).toBe(1);
});

test('a second signal ends it at once, with 1', () => {
  const { events, exits, stops } = setUp(never);
  events.emit('SIGTERM');
  events.emit('SIGTERM');
  expect(exits).toEqual([1]);
  expect(stops.count).toBe(1);
});

test('a Ctrl-C that npm passes on is the same Ctrl-C, a later one is a second', () => {
  const { events, exits, clock } = setUp(never);
  events.emit('SIGINT');
  clock.now = 100;
  events.emit('SIGINT');
  expect(exits).toEqual([]);
  clock.now = 2000;
  events.emit('SIGINT');
  expect(exits).toEqual([1]);
});

test.each(['uncaughtException', 'unhandledRejection'])('%s is logged once, and stops it with 1', async (event) => {
  const { events, exited, stops, errors } = setUp(() => Promise.resolve());
  const error = new Error('oops');
  events.emit(event, error);
  expect(await exited).toBe(1);
  expect(stops.count).toBe(1);
  expect(errors).toEqual([{ error }]);
});

test('a stop that fails exits with 1', async () => {
  const { events, exited } = setUp(() => Promise.reject(new Error('disk full')));
  events.emit('SIGTERM');
  expect(await exited).toBe(1);
});

test('a stop that takes too long is given up', () => {
  vi.useFakeTimers();
  try {
    const { events, exits } = setUp(never);
    events.emit('SIGTERM');
    vi.advanceTimersByTime(60_000);
    expect(exits).toEqual([1]);
  } finally {
    vi.useRealTimers();
  }
});
