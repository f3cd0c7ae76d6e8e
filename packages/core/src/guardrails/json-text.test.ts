import fc from 'fast-check';
import { expect, test } from 'vitest';

import { unescapeJson } from './json-text.ts';

/** Escapes every character of JSON that can be escaped. */
const escapeAll = (text: string): string =>
  [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

test('reads any string as a parser of JSON reads it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, isForced) => {
      const json = isForced ? escapeAll(text) : JSON.stringify(text).slice(1, -1);
      expect(unescapeJson(json, true).text).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('reads the same in pieces, wherever they are cut', () => {
  const json = String.raw`{"a":"\u0062adger\n\\u0062 \"x\" \ud83d\ude00","b":1}`;
  const whole = unescapeJson(json, true).text;
  for (let cut = 0; cut <= json.length; cut += 1) {
    const first = unescapeJson(json.slice(0, cut), false);
    expect(cut - first.taken).toBeLessThan(6);
    expect(first.text + unescapeJson(json.slice(first.taken), true).text).toBe(whole);
  }
});

test('returns the position of each character in the JSON', () => {
  const { text, offsets } = unescapeJson(String.raw`a\u0062\n"`, true);
  expect(text).toBe('ab\n"');
  expect(offsets).toEqual([0, 1, 7, 9, 10]);
  expect(unescapeJson('plain', true).offsets).toBeNull();
});

test.each([String.raw`\q`, String.raw`\u00`, String.raw`\uzzzz`, '\\', String.raw`C:\users`])(
  'leaves %s, which is no escape, as it is',
  (json) => {
    expect(unescapeJson(json, true).text).toBe(json);
  },
);
