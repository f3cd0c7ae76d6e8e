import { expect, test } from 'vitest';

import { findPlace, PLACES } from './navigation.ts';

test.each([
  ['/', 'overview'],
  ['/generations', 'generations'],
  ['/generations/gen-1', 'generations'],
  ['/generations/sessions', 'sessions'],
  ['/generations/sessions/agent', 'sessions'],
  ['/models/demo/chat', 'models'],
  ['/nowhere', undefined],
])('the address %s is of the screen %s', (path, name) => {
  expect(findPlace(path)?.name).toBe(name);
});

test('no two screens share a shortcut', () => {
  const letters = PLACES.map(({ letter }) => letter);
  const digits = PLACES.flatMap(({ digit }) => digit ?? []);
  expect([new Set(letters).size, new Set(digits).size]).toEqual([letters.length, digits.length]);
});
