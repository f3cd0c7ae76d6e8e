import { expect, test } from 'vitest';

import { fromColumnId, toColumnId, toColumnText } from './column-text.ts';

const ODD = [
  '',
  'plain',
  'line\nbreak',
  '"\'',
  '\0',
  '\\0',
  '\\u0000',
  '\ud800',
  '\udc00',
  '\\ud800',
  '\u{1F600}',
  '\ufffd',
];

test('ids are told apart in a column, come back from it, and hold nothing that it refuses', () => {
  const columns = ODD.map(toColumnId);
  expect(new Set(columns).size).toBe(ODD.length);
  expect(columns.map(fromColumnId)).toEqual(ODD);
  for (const column of columns) {
    expect(column).not.toContain('\0');
    expect(Buffer.from(column).toString()).toBe(column);
  }
});

test('an ordinary id stays as it is, so that people can look for it', () => {
  expect(toColumnId('gen-1772359200-äöü {}')).toBe('gen-1772359200-äöü {}');
});

test('a text for people loses what a column refuses', () => {
  expect(toColumnText('a\0b\ud800c\u{1F600}')).toBe('ab\ufffdc\u{1F600}');
});
