import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../../test/support/async/virtual-platform.ts';
import { createSerialQueue } from './serial-queue.ts';

function setUp() {
  const platform = createVirtualPlatform();
  const { run } = createSerialQueue(platform);
  const begun: string[] = [];
  const begin = (name: string): (() => void) => {
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    run(() => {
      begun.push(name);
      return done;
    });
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
