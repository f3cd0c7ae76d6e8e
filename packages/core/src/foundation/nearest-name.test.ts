import { expect, test } from 'vitest';

import { findNearestName, suggestName } from './nearest-name.ts';

const KNOWN = ['openai', 'openrouter', 'google-ai-studio', 'baseUrl', 'x'];

test.each([
  ['opnai', 'openai'],
  ['OPENIA', 'openai'],
  ['openroutre', 'openrouter'],
  ['google_ai_studio', 'google-ai-studio'],
  ['base_url', 'baseUrl'],
  ['y', 'x'],
  ['anthropic', undefined],
  ['', 'x'],
])('suggests for %s the name %s', (name, expected) => {
  expect(suggestName(name, KNOWN)).toBe(expected);
});

test('finds the nearest of all names, however far it is, and the first of equals', () => {
  expect(findNearestName('anthropic', KNOWN)).toBe('openai');
  expect(findNearestName('ab', ['ac', 'bb'])).toBe('ac');
  expect(findNearestName('ab', [])).toBeUndefined();
  expect(findNearestName('abc', ['abcd'], 0)).toBeUndefined();
});

test('two letters that change places count once', () => {
  expect(findNearestName('abcd', ['axcy', 'abdc'])).toBe('abdc');
  expect(findNearestName('abcd', ['abdc'], 1)).toBe('abdc');
});
