import { EventEmitter } from 'node:events';

import { expect, test } from 'vitest';

import { findWorkerPlace, toWorkerEvents } from './worker-place.ts';

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

test('a process that was started by nobody has no place', async () => {
  expect(await findWorkerPlace()).toBeNull();
});
