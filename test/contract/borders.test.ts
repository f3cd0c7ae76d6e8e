import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { CORE_ROOMS, findBreaches, roomOf, toLintFile } from '../../scripts/borders.ts';
import { findCircles } from '../../scripts/import-graph.ts';
import { KNOWN_BREACHES, KNOWN_CIRCLES } from '../../scripts/known-breaches.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const found = findBreaches(root);
const isSame = (one: { from: string; to: string }, other: { from: string; to: string }): boolean =>
  one.from === other.from && one.to === other.to;

test('no file imports what the table of rooms does not name', () => {
  expect(found.breaches.filter((breach) => !KNOWN_BREACHES.some((known) => isSame(known, breach)))).toEqual([]);
});

test('the list of known breaches names no import that is gone', () => {
  expect(KNOWN_BREACHES.filter((known) => !found.breaches.some((breach) => isSame(known, breach)))).toEqual([]);
});

test('no files import one another in a circle, and no packages do', () => {
  expect(found.circles).toEqual(KNOWN_CIRCLES);
  expect(found.packageCircles).toEqual([]);
});

test('every file of the core stands in a room of the table', () => {
  expect(found.homeless).toEqual([]);
});

test('the lint file is the one that the table makes', () => {
  const written: unknown = JSON.parse(readFileSync(`${root}.oxlintrc.borders.json`, 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(toLintFile(KNOWN_BREACHES))));
});

test('a room may only import rooms above it in the table, so that there is an order', () => {
  const rooms = Object.entries(CORE_ROOMS);
  const edges = rooms.flatMap(([room, { imports, types = [] }]) =>
    [...imports, ...types].map((other) => [room, other] as const),
  );
  expect(findCircles(edges)).toEqual([]);
  for (const [room, other] of edges) {
    const places = rooms.map(([name]) => name);
    expect([room, other, places.indexOf(other) < places.indexOf(room)]).toEqual([room, other, true]);
  }
});

test('circles are found, and a file outside of all rooms', () => {
  expect(
    findCircles([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
      ['c', 'd'],
    ]),
  ).toEqual([['b', 'c']]);
  expect(roomOf('packages/core/src/nowhere/file.ts')).toBeUndefined();
  expect(roomOf('packages/core/src/stray.ts')).toBeUndefined();
  expect(roomOf('packages/core/src/wire/page-query.ts')).toBe('wire');
});
