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
  const { clock, progress, written } = setUp(true);
  for (const done of [0, 1000, 2000]) {
    progress.show(done, 2000);
    clock.now += 1000;
  }
  progress.end();
  const clear = '\u001B[K';
  expect(written().split('\r')).toEqual([
    '',
    `[${'.'.repeat(30)}] 0 of 2,000 generations${clear}`,
    `[${'#'.repeat(15)}${'.'.repeat(15)}] 1,000 of 2,000 generations${clear}`,
    `[${'#'.repeat(30)}] 2,000 of 2,000 generations${clear}\n`,
  ]);
});

test('a terminal is drawn on at most ten times a second, and shows the end', () => {
  const { clock, progress, written } = setUp(true);
  for (let done = 0; done <= 1000; done += 1) {
    progress.show(done, 1000);
    clock.now += 1;
  }
  expect(written().split('\r').slice(1)).toHaveLength(11);
  expect(written()).toContain('1,000 of 1,000');
});

test('elsewhere there is a line now and then', () => {
  const { clock, progress, written } = setUp(false);
  for (let done = 0; done <= 200; done += 20) {
    progress.show(done, 200);
    clock.now += 1000;
  }
  progress.end();
  expect(written()).toBe('100 of 200 generations, 5 s left\n200 of 200 generations\n');
});

test('what takes long is in minutes', () => {
  const { clock, progress, written } = setUp(false);
  clock.now = 10_000;
  progress.show(1000, 100_000);
  expect(written()).toBe('1,000 of 100,000 generations, 17 min left\n');
});

test('nothing to do is a whole bar', () => {
  const { progress, written } = setUp(true);
  progress.show(0, 0);
  expect(written()).toContain(`[${'#'.repeat(30)}] 0 of 0`);
});
