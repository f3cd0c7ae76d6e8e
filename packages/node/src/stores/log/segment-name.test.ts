import { expect, test } from 'vitest';

import {
  compareSegments,
  contentFileName,
  endOfSegment,
  isThrough,
  metadataFileName,
  nextSegment,
  parseLogFileName,
} from './segment-name.ts';

test('file names are read back as what they were made for', () => {
  expect(parseLogFileName(metadataFileName('2026-03-01'))).toEqual({
    kind: 'generations',
    segment: '2026-03-01',
    revision: 0,
    isCorrupt: false,
  });
  expect(parseLogFileName(contentFileName('2026-03-01.12', 3))).toMatchObject({
    segment: '2026-03-01.12',
    revision: 3,
  });
  expect(parseLogFileName('content-2026-03-01.ndjson.corrupt-2026-03-02T00-00-00-000Z')?.isCorrupt).toBe(true);
});

test.each([
  'notes.txt',
  'generations-today.ndjson',
  '../generations-2026-03-01.ndjson',
  'content-2026-03-01.ndjson.bak',
])('a file called %s is not a log', (name) => {
  expect(parseLogFileName(name)).toBeUndefined();
});

test('segments are ordered by day, then by part as a number', () => {
  const ordered = ['2026-02-28', '2026-03-01', '2026-03-01.2', '2026-03-01.10', '2026-03-02'];
  expect(ordered.toReversed().toSorted(compareSegments)).toEqual(ordered);
  expect(isThrough('2026-03-01.2', '2026-03-01.10')).toBe(true);
  expect(isThrough('2026-03-01.10', '2026-03-01.2')).toBe(false);
  expect(isThrough('2026-03-01', null)).toBe(false);
});

test('the next segment is of today, or another part of the day it follows', () => {
  const noon = Date.parse('2026-03-01T12:00:00Z');
  expect(nextSegment(null, noon)).toBe('2026-03-01');
  expect(nextSegment('2026-02-28.4', noon)).toBe('2026-03-01');
  expect(nextSegment('2026-03-01', noon)).toBe('2026-03-01.2');
  expect(nextSegment('2026-03-01.9', noon)).toBe('2026-03-01.10');
});

test('a clock set back never leads to an older segment', () => {
  expect(nextSegment('2026-03-05', Date.parse('2026-03-01T12:00:00Z'))).toBe('2026-03-05.2');
});

test('a segment ends with its day in UTC', () => {
  expect(endOfSegment('2026-02-28.3')).toBe(Date.parse('2026-03-01T00:00:00Z'));
});
