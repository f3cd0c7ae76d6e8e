import process from 'node:process';

import { expect, test } from 'vitest';

import { atEndOfTurn, nextTurn } from './node-timers.ts';

const endOfTurn = (): Promise<void> => new Promise((resolve) => atEndOfTurn(resolve));
const turnAfter = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what is put off in one turn takes each of its steps side by side', async () => {
  const steps: string[] = [];
  const work = async (name: string): Promise<void> => {
    await endOfTurn();
    steps.push(`${name} begins`);
    await Promise.resolve();
    steps.push(`${name} goes on`);
  };
  const both = [work('a')];
  // In a later part of the same turn, as with another connection that can be read.
  process.nextTick(() => both.push(work('b')));
  await turnAfter();
  await Promise.all(both);
  expect(steps).toEqual(['a begins', 'b begins', 'a goes on', 'b goes on']);
});

test('what follows from it may be put off once more, until all have come as far, in the same turn still', async () => {
  const steps: string[] = [];
  let isNextTurn = false;
  const work = async (name: string): Promise<void> => {
    await endOfTurn();
    if (steps.length === 0) setImmediate(() => (isNextTurn = true));
    await Promise.resolve();
    steps.push(`${name} is ready`);
    await endOfTurn();
    steps.push(`${name} is written${isNextTurn ? ', too late' : ''}`);
  };
  await Promise.all([work('a'), work('b')]);
  expect(steps).toEqual(['a is ready', 'b is ready', 'a is written', 'b is written']);
});

test('what is put off in the next turn waits for the end of that one', async () => {
  await endOfTurn();
  await turnAfter();
  let isDone = false;
  atEndOfTurn(() => (isDone = true));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(isDone).toBe(false);
  await turnAfter();
  expect(isDone).toBe(true);
});

test('of several that pause, one goes on in each turn of the event loop, by turns', async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const log: string[] = [];
  const turns: number[] = [];
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await nextTurn();
      log.push(name);
      turns.push(turn);
    }
  };
  await Promise.all([work('a'), work('b'), work('c')]);
  isOver = true;
  expect(log.join('')).toBe('abcabcabc');
  expect(new Set(turns).size).toBe(turns.length);
});
