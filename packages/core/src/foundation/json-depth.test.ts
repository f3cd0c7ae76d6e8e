import { expect, test } from 'vitest';

import { MAX_DEPTH, parseWithinDepth } from './json-depth.ts';

const nested = (depth: number, inner = '1'): string => '['.repeat(depth) + inner + ']'.repeat(depth);

test('parses JSON of a thousand levels, and none that is nested deeper', () => {
  expect(JSON.stringify(parseWithinDepth(nested(MAX_DEPTH)))).toBe(nested(MAX_DEPTH));
  expect(parseWithinDepth(nested(MAX_DEPTH + 1))).toBeUndefined();
  expect(parseWithinDepth('{"a":'.repeat(MAX_DEPTH + 1) + '1' + '}'.repeat(MAX_DEPTH + 1))).toBeUndefined();
  expect(parseWithinDepth(nested(1_000_000))).toBeUndefined();
});

test('counts only the levels that are open at once', () => {
  const text = `[${'[],'.repeat(5000)}{"a":null}]`;
  expect(parseWithinDepth(text)).toEqual(JSON.parse(text));
});

test.each([
  ['brackets in a text', '['.repeat(5000)],
  ['brackets after an escaped quotation mark', `\\"${'['.repeat(5000)}`],
  ['brackets after an escaped backslash', `\\\\${'{'.repeat(5000)}\\"`],
])('does not count %s', (_name, text) => {
  const json = `{"arguments":"${text}"}`;
  expect(parseWithinDepth(json)).toEqual(JSON.parse(json));
});

test('counts what is within a member of any name, and beside values of every kind', () => {
  const text = `{"a":null,"b":"\\\\","__proto__":[1,true,${nested(MAX_DEPTH)}]}`;
  expect(parseWithinDepth(text)).toBeUndefined();
});

test('takes values that are no object, and throws for what is no JSON', () => {
  expect(parseWithinDepth(`"${'x'.repeat(3000)}"`)).toBe('x'.repeat(3000));
  expect(parseWithinDepth(' '.repeat(3000) + 'null')).toBeNull();
  expect(() => parseWithinDepth('['.repeat(3000))).toThrow(SyntaxError);
});
