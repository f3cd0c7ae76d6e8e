import { expect, test } from 'vitest';

import { cpuMs } from '../../../../../test/support/async/cpu-ms.ts';
import { createCustomFilter, createPatternSet, parsePattern } from './custom-filter.ts';

test.each([
  ['(?=a)b', /look-ahead and look-behind/],
  ['(?!a)b', /look-ahead and look-behind/],
  ['(?<=a)b', /look-ahead and look-behind/],
  ['(?<!a)b', /look-ahead and look-behind/],
  ['(a)\\1', /back-references/],
  ['(?<n>a)\\k<n>', /back-references/],
  ['(', /missing closing/],
  ['a{10000}', /invalid repeat/],
  ['(?:[a-z]{100}){9}|(?:[a-z]{100}){9}', /too large/],
])('refuses %s and says why', (pattern, reason) => {
  const parse = (): unknown => parsePattern(pattern, 'content_filters.0.pattern');
  expect(parse).toThrow(/^content_filters\.0\.pattern: .*\(invalid_regex_pattern\)$/);
  expect(parse).toThrow(reason);
  expect(parse).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      metadata: {
        reason: 'invalid_regex_pattern',
        issues: [{ path: 'content_filters.0.pattern', message: expect.stringMatching(reason) as string }],
      },
    }),
  );
});

test.each([
  ['(a+)+$', 'caaa'],
  ['\\u0061b', 'ab'],
  ['(?<year>\\d{4})', '2026'],
  ['[^]', '\n'],
  ['a\\/b', 'A/B'],
  ['^b$', 'a\nb\nc'],
])('reads %s as JavaScript does, and finds it in %j', (pattern, text) => {
  expect(createCustomFilter(pattern, null).findAll(text)).toHaveLength(1);
});

test('refuses a pattern of 10 KB, which would take too long to look for', () => {
  expect(() => parsePattern('x'.repeat(10_000), 'pattern')).toThrow(/too large/);
});

test('a pattern that matches nothing at all finds nothing', () => {
  expect(createCustomFilter('x*', null).findAll('aaa')).toEqual([]);
  expect(createCustomFilter('\\b', null).endAt?.('abc', 0)).toBe(0);
});

test.each([
  ['(a+)+$', `${'a'.repeat(100_000)}!`],
  ['^(\\w+\\s?)+$', `${'word '.repeat(20_000)}!`],
  ['(x+x+)+y', 'x'.repeat(100_000)],
  ['[a-z ]{1,500}X', 'the quick brown '.repeat(6250)],
  ['(?:.*a){20}', 'ab'.repeat(50_000)],
])('%s takes time in proportion to the text', (pattern, text) => {
  const anyOf = createPatternSet([pattern], false);
  const startedAt = cpuMs();
  anyOf(text);
  // A tenth of it is what it takes; on a backtracking engine it is years.
  expect(cpuMs() - startedAt).toBeLessThan(2000);
});

test('patterns that are too many for one automaton are spread over several', () => {
  const patterns = Array.from({ length: 40 }, (_, index) => `(?:[\\p{L}]{30}){30}${index}`);
  const anyOf = createPatternSet([...patterns, 'fox'], false);
  expect(anyOf('a fox')).toEqual([40]);
});
