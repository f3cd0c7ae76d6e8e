import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { findWorkerPlace, toWorkerEnvironment, toWorkerEvents } from './worker-place.ts';

function setUp() {
  const events = new EventEmitter();
  const stops: unknown[] = [];
  const worker = toWorkerEvents(events);
  worker.on('SIGTERM', () => stops.push('SIGTERM'));
  worker.on('SIGINT', () => stops.push('SIGINT'));
  worker.on('uncaughtException', (error) => stops.push(error));
  return { events, stops };
}

test.each(['SIGTERM', 'disconnect'])('%s stops a worker once, whatever else comes', (event) => {
  const { events, stops } = setUp();
  events.emit(event);
  events.emit('SIGTERM');
  events.emit('message', { type: 'stop' });
  events.emit('disconnect');
  expect(stops).toEqual(['SIGTERM']);
});

test('a worker stops when it is told, and takes no other message for that', () => {
  const { events, stops } = setUp();
  for (const message of [null, 'stop', { type: 'other' }]) events.emit('message', message);
  expect(stops).toEqual([]);
  events.emit('message', { type: 'stop' });
  expect(stops).toEqual(['SIGTERM']);
});

test('a Ctrl-C is left to the process that started the worker, and errors are its own', () => {
  const { events, stops } = setUp();
  events.emit('SIGINT');
  const error = new Error('oops');
  events.emit('uncaughtException', error);
  expect(stops).toEqual([error]);
});

test('a process that was started by nobody has no place', () => {
  expect(findWorkerPlace()).toBeNull();
});

test('a worker whose starter goes away before it listens for that ends at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'worker-place-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'worker.mjs');
  const module = new URL('worker-place.ts', import.meta.url).href;
  writeFileSync(
    script,
    `const { findWorkerPlace } = await import('${module}');
     process.send(findWorkerPlace());
     setInterval(() => undefined, 1000);`,
  );
  const place = { slot: 2, of: 3, isFirst: true };
  // As `cluster.fork` starts it.
  const env = { ...process.env, ...toWorkerEnvironment(place), NODE_UNIQUE_ID: '1' };
  const worker = fork(script, { env });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const found = new Promise((resolve) => {
    worker.on('message', (message) => {
      if ((message as { slot?: number }).slot !== undefined) resolve(message);
    });
  });
  expect(await found).toEqual(place);
  worker.disconnect();
  expect(await once(worker, 'exit')).toEqual([0, null]);
});
