import { expect, test } from 'vitest';

import { toRecents } from './recents.ts';

test('the path that was opened last is in front, once, and the oldest go', () => {
  expect(toRecents(['/a', '/b'], '/b')).toEqual(['/b', '/a']);
  expect(toRecents('12345678'.split(''), '/new')).toEqual(['/new', ...'1234567'.split('')]);
});
