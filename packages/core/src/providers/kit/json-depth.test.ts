import { expect, test } from 'vitest';

import { isNestedTooDeep, MAX_DEPTH } from './json-depth.ts';

const nested = (depth: number, inner = '1'): string => '['.repeat(depth) + inner + ']'.repeat(depth);

test('tells JSON that is nested deeper than the limit from what is not', () => {
  expect(isNestedTooDeep(nested(MAX_DEPTH))).toBe(false);
  expect(isNestedTooDeep(nested(MAX_DEPTH + 1))).toBe(true);
  expect(isNestedTooDeep('{"a":'.repeat(MAX_DEPTH + 1) + '1' + '}'.repeat(MAX_DEPTH + 1))).toBe(true);
});

test('counts only the levels that are open at once', () => {
  expect(isNestedTooDeep(`[${'[],'.repeat(5000)}1]`)).toBe(false);
});

test.each([
  ['brackets in a text', '['.repeat(5000)],
  ['brackets after an escaped quotation mark', `\\"${'['.repeat(5000)}`],
  ['brackets after an escaped backslash', `\\\\${'{'.repeat(5000)}\\"`],
])('does not count %s', (_name, text) => {
  const json = `{"arguments":"${text}"}`;
  expect(() => JSON.parse(json) as unknown).not.toThrow();
  expect(isNestedTooDeep(json)).toBe(false);
});

test('counts what follows a text that ends with a backslash', () => {
  expect(isNestedTooDeep(`{"a":"\\\\","b":${nested(MAX_DEPTH + 1)}}`)).toBe(true);
});
