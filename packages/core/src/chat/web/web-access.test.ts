import { expect, test } from 'vitest';

import { isDomainAllowed } from './web-access.ts';

test.each([
  ['example.com', 'https://example.com/a', true],
  ['example.com', 'https://www.example.com/', true],
  ['example.com', 'https://notexample.com/', false],
  ['example.com', 'https://example.com.evil.example/', false],
  ['*.example.com', 'https://docs.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['https://Example.com/Docs/', 'https://example.com/docs/page', true],
  ['example.com/docs', 'https://example.com/docs', true],
  ['example.com/docs', 'https://example.com/docsearch', false],
  ['example.com', 'https://example.com./', true],
  ['', 'https://example.com/', false],
])('decides that %s stands for %s: %s', (pattern, url, isMatch) => {
  expect(isDomainAllowed(url, { allowed: [pattern] })).toBe(isMatch);
  expect(isDomainAllowed(url, { excluded: [pattern] })).toBe(!isMatch);
});

test('admits everything where nothing is said, and nothing that is no address', () => {
  expect(isDomainAllowed('https://example.com/', {})).toBe(true);
  expect(isDomainAllowed('https://example.com/', { allowed: [], excluded: null })).toBe(true);
  expect(isDomainAllowed('nonsense', {})).toBe(false);
});
