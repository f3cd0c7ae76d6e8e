import { expect, test } from 'vitest';

import { createProgress } from './progress.ts';

function setUp(isTerminal: boolean) {
  const clock = { now: 0 };
  let written = '';
  const progress = createProgress('generations', {
    isTerminal,
    write: (text) => void (written += text),
    now: () => clock.now,
  });
  return { clock, progress, written: () => written };
}

test('a terminal has a bar that is drawn over, and its line ends', () => {
  const { progress, written } = setUp(true);
  progress.show(0, 200);
  progress.show(100, 200);
  progress.show(200, 200);
  progress.end();
  const [, first, half, whole] = written().split('\r');
  expect(first).toBe(`[${'.'.repeat(30)}] 0 of 200 generations`);
  expect(half).toBe(`[${'#'.repeat(15)}${'.'.repeat(15)}] 100 of 200 generations`);
  expect(whole).toBe(`[${'#'.repeat(30)}] 200 of 200 generations\n`);
});

test('elsewhere there is a line now and then', () => {
  const { clock, progress, written } = setUp(false);
  for (let done = 0; done <= 200; done += 20) {
    progress.show(done, 200);
    clock.now += 1000;
  }
  progress.end();
  expect(written()).toBe('100 of 200 generations\n200 of 200 generations\n');
});

test('nothing to do is a whole bar', () => {
  const { progress, written } = setUp(true);
  progress.show(0, 0);
  expect(written()).toContain(`[${'#'.repeat(30)}] 0 of 0`);
});
