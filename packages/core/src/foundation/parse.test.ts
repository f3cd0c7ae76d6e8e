import { expect, test } from 'vitest';
import { z } from 'zod';

import { checkWith, parseWith } from './parse.ts';

const schema = z.object({
  name: z.string().min(1).max(9),
  tags: z.array(z.string()).max(2).optional(),
  more: z.unknown().optional(),
});
/** Cannot be compared with a number. */
const ODD = { length: { toString: 0 } };

test('an object whose length cannot be compared is refused at its place where a text or a list is wanted', () => {
  expect(() => parseWith(schema, { name: ODD, tags: ODD })).toThrow('name: Invalid input: expected string');
  expect(checkWith(schema, { name: 'a', tags: { ...ODD, 0: ODD } }).error?.issues.map(({ path }) => path)).toEqual([
    ['tags'],
  ]);
  expect(checkWith(z.array(schema).max(1), [ODD]).success).toBe(false);
});

test('where anything is wanted, such an object is kept as it is', () => {
  expect(parseWith(schema, { name: 'a', more: ODD })).toEqual({ name: 'a', more: ODD });
});

test('an error that is not one of comparing is thrown on', () => {
  const failing = z.string().refine(() => {
    throw new RangeError('no room');
  });
  expect(() => checkWith(failing, 'x')).toThrow('no room');
});
