import fc from 'fast-check';
import { expect, test } from 'vitest';

import { findJsonError } from './config-errors.ts';

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
