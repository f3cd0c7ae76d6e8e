import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { CORE_ROOMS, findBreaches, roomOf, toBreach, toLintFile } from '../../scripts/borders.ts';
import { findCircles, parseImports } from '../../scripts/import-graph.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const found = findBreaches(root);
test('no file imports what the table of rooms does not name', () => {
  expect(found.breaches).toEqual([]);
});

test('no files import one another in a circle, and no packages do', () => {
  expect(found.circles).toEqual([]);
  expect(found.packageCircles).toEqual([]);
});

test('every file of the core stands in a room of the table', () => {
  expect(found.homeless).toEqual([]);
});

test('the lint file is the one that the table makes', () => {
  const written: unknown = JSON.parse(readFileSync(`${root}.oxlintrc.borders.json`, 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(toLintFile())));
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

test.each([
  ["import type { A } from 'm'", true],
  ["import type A from 'm'", true],
  ["export type { A } from 'm'", true],
  ["export type * from 'm'", true],
  ["export const a = (b: import('m').B) => b", true],
  ["import { a } from 'm'", false],
  // The compiler keeps it as `import {}`.
  ["import { type A } from 'm'", false],
  ["import { type A, b } from 'm'", false],
  ["import 'm'", false],
  ["export { a } from 'm'", false],
  ["export * from 'm'", false],
  ["void import('m')", false],
  ["import type { A } from 'm'; import { b } from 'm'", false],
  ["import { b } from 'm'; import type { A } from 'm'", false],
])('%s imports types alone: %s', (source, isType) => {
  expect(parseImports('file.ts', source)).toEqual([{ specifier: 'm', isType }]);
});

const WIRE = { specifier: '@model-gateway/core/wire', to: 'packages/core/src/wire/index.ts' };
const BRIDGE = { specifier: '../desktop-bridge.ts', to: 'packages/ui/src/desktop-bridge.ts' };
const inUi = { from: 'packages/ui/src/api/queries.ts' };

test("the UI takes types from the core's types-only door, and nothing else of it", () => {
  expect(toBreach({ ...inUi, ...WIRE, isType: true })).toBeUndefined();
  expect(toBreach({ ...inUi, ...WIRE, isType: false })?.reason).toBe(
    'ui may import types alone of @model-gateway/core/wire',
  );
  const door = { specifier: '@model-gateway/core', to: 'packages/core/src/index.ts' };
  expect(toBreach({ ...inUi, ...door, isType: true })?.reason).toBe('ui may not import @model-gateway/core');
  const schema = { specifier: '../../../core/src/wire/index.ts', to: WIRE.to };
  expect(toBreach({ ...inUi, ...schema, isType: true })?.reason).toBe('ui may import core by its public paths alone');
});

test('the bundle of the UI imports zod neither itself nor by the contract of the desktop', () => {
  const zod = { specifier: 'zod', to: undefined };
  expect(toBreach({ ...inUi, ...zod, isType: false })?.reason).toBe('the bundle of the UI must not contain zod');
  expect(toBreach({ ...inUi, ...zod, isType: true })).toBeUndefined();
  expect(toBreach({ from: BRIDGE.to, ...zod, isType: false })).toBeUndefined();
  expect(toBreach({ ...inUi, ...BRIDGE, isType: false })?.reason).toBe(
    'the bundle may import types alone of packages/ui/src/desktop-bridge.ts',
  );
  expect(toBreach({ ...inUi, ...BRIDGE, isType: true })).toBeUndefined();
  const inDesktop = { from: 'desktop/src/main/window/bridge.ts', specifier: '@model-gateway/ui/desktop-bridge' };
  expect(toBreach({ ...inDesktop, to: BRIDGE.to, isType: false })).toBeUndefined();
});

test('of the rooms in its column `types` a room imports types alone', () => {
  const provider = { specifier: '../providers/provider.ts', to: 'packages/core/src/providers/provider.ts' };
  const inStores = { from: 'packages/core/src/stores/store.ts', ...provider };
  expect(toBreach({ ...inStores, isType: true })).toBeUndefined();
  expect(toBreach({ ...inStores, isType: false })?.reason).toBe('stores may import types alone of providers');
});
