import { afterEach, expect, test } from 'vitest';

import { setLocale } from '../../messages/locale.ts';
import { describeResult } from './describe-result.ts';

afterEach(() => setLocale('en', 'local', ['en']));

test('the reason of a failed delivery is in the language of the page', () => {
  expect(describeResult('the name could not be resolved')).toBe('the name could not be resolved');
  setLocale('de', 'local', ['de']);
  expect(describeResult('the name could not be resolved')).toBe('Name nicht auflösbar');
});

test('what the receiver said stays as it is', () => {
  setLocale('de', 'local', ['de']);
  expect(describeResult('HTTP 503')).toBe('HTTP 503');
  expect(describeResult('constructor')).toBe('constructor');
});
