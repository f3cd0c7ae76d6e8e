import { expect, test } from 'vitest';

import { nextTurn } from './next-turn.ts';

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
