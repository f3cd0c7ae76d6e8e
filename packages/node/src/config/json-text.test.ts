import fc from 'fast-check';
import { expect, test } from 'vitest';

import { findJsonError, findJsonPlaces } from './json-text.ts';

test.each([
  ['', 1, 1, 'the file ends where a value is expected'],
  ['{"a": 1', 1, 8, 'the file ends where a comma or "}" is expected'],
  ['{"a": 1}\n}', 2, 1, 'there is more after the end of the value'],
  ['{a: 1}', 1, 2, 'expected a field name in double quotes'],
  ["{'a': 1}", 1, 2, 'text needs double quotes, not single ones'],
  ['{"a" 1}', 1, 6, 'expected a colon after the field name'],
  ['{"a": 1\r\n "b": 2}', 2, 2, 'expected a comma or "}"'],
  ['[1,\n2,]', 2, 2, 'a comma before "]" is not allowed'],
  ['[01]', 1, 3, 'expected a comma or "]"'],
  ['["a\nb"]', 1, 2, 'this text is not closed on its line, or holds a bad escape (write \\\\ for a backslash)'],
  [
    '{"dir": "C:\\data"}',
    1,
    9,
    'this text is not closed on its line, or holds a bad escape (write \\\\ for a backslash)',
  ],
  ['# note\n{}', 1, 1, 'comments are not allowed in JSON'],
])('says where %j stops being JSON', (text, line, column, message) => {
  expect(findJsonError(text)).toEqual({ line, column, message });
});

test('agrees with the engine on what is JSON', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', '\\', '0', ' '), (text, place, extra) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + extra + text.slice(at + (place % 2));
      let isJson = true;
      try {
        JSON.parse(changed);
      } catch {
        isJson = false;
      }
      expect(findJsonError(changed) === null).toBe(isJson);
    }),
  );
});

test('a text that is nested deeper than any configuration is refused where it is', () => {
  expect(findJsonError(`${'['.repeat(400)}${']'.repeat(400)}`)).toBeNull();
  expect(findJsonError(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toEqual({
    line: 1,
    column: 502,
    message: 'this is nested more than 500 levels deep',
  });
});

test('finds the line of a field, also where names have dots and brackets in them', () => {
  const { lineOf, repeated } = findJsonPlaces(`{ "a": 1,
"a.b": { "c":
  [ 1,
    { "d[0]": 2,
"e\\u0066": 3 } ] },
"__proto__": 4 }`);
  expect(
    ['a', 'a.b', 'a.b.c[0]', 'a.b.c[1].d[0]', 'a.b.c[1].ef', 'a.b.c[1].g.h', 'a.x', '__proto__'].map(lineOf),
  ).toEqual([1, 2, 3, 4, 5, 4, 1, 6]);
  expect(['', 'b', '[0]'].map(lineOf)).toEqual([undefined, undefined, undefined]);
  expect(repeated).toEqual([]);
});
