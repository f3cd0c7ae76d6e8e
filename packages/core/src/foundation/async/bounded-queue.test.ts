import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../../test/support/async/virtual-platform.ts';
import { createBoundedQueue } from './bounded-queue.ts';

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
