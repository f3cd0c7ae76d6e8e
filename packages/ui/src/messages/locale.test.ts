import { afterEach, expect, test } from 'vitest';

import { formatUsd } from '../format/money.ts';
import { formatMoment } from '../format/time.ts';
import { createMessages, getLocale, perLocale, plural, setLocale } from './locale.ts';

afterEach(() => setLocale('en', 'local', []));

const messages = createMessages(
  { title: 'Keys', found: (count: number) => plural.en(count, { one: `${count} key`, other: `${count} keys` }) },
  { de: { title: 'Schlüssel', found: (count) => `${count} Schlüssel` } },
);

test('texts are those of the language that was chosen, at the time they are read', () => {
  expect([messages().title, messages().found(1), messages().found(2)]).toEqual(['Keys', '1 key', '2 keys']);
  setLocale('de', 'local', []);
  expect([messages().title, messages().found(2)]).toEqual(['Schlüssel', '2 Schlüssel']);
});

test('the language of the system is taken unless another is chosen', () => {
  setLocale('system', 'local', ['de-CH', 'en']);
  expect(getLocale()).toEqual({ language: 'de', tag: 'de-DE', zone: 'local' });
  setLocale('en', 'local', ['de-CH', 'en']);
  expect(getLocale().language).toBe('en');
});

test('a formatter is made once for a locale', () => {
  let made = 0;
  const format = perLocale(() => (made += 1));
  expect([format(), format()]).toEqual([1, 1]);
  setLocale('en', 'local', []);
  expect(format()).toBe(1);
  setLocale('en', 'utc', []);
  expect([format(), format()]).toEqual([2, 2]);
});

test('a language that lacks a text, or has one more, does not compile', () => {
  // @ts-expect-error There is no title.
  createMessages({ title: 'Keys' }, { de: {} });
  // @ts-expect-error There is no such text.
  createMessages({ title: 'Keys' }, { de: { title: 'Schlüssel', more: '' } });
  expect(messages().title).toBe('Keys');
});

test('numbers and times follow the language and the zone', () => {
  setLocale('de', 'utc', []);
  expect(formatUsd(1234.5)).toBe('1.234,50\u00a0$');
  expect(formatMoment('2026-03-01T22:42:03Z', new Date('2026-03-01T01:00:00Z'))).toBe('22:42:03');
});
