import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { CORE_FOLDERS, findBreaches, folderOf, toBreach } from '../../scripts/borders.ts';
import { findCircles, parseImports } from '../../scripts/import-graph.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const found = findBreaches(root);
test('no file imports what the table of folders does not name', () => {
  expect(found.breaches).toEqual([]);
});

test('no files import one another in a circle, and no packages do', () => {
  expect(found.circles).toEqual([]);
  expect(found.packageCircles).toEqual([]);
});

test('every file of the core stands in a folder of the table, and every one of the UI and the server on a floor', () => {
  expect(found.homeless).toEqual([]);
});

test('a folder may only import folders above it in the table, so that there is an order', () => {
  const folders = Object.entries(CORE_FOLDERS);
  const edges = folders.flatMap(([folder, { imports, types = [] }]) =>
    [...imports, ...types].map((other) => [folder, other] as const),
  );
  expect(findCircles(edges)).toEqual([]);
  for (const [folder, other] of edges) {
    const places = folders.map(([name]) => name);
    expect([folder, other, places.indexOf(other) < places.indexOf(folder)]).toEqual([folder, other, true]);
  }
});

test('circles are found, and a file outside of all folders', () => {
  expect(
    findCircles([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
      ['c', 'd'],
    ]),
  ).toEqual([['b', 'c']]);
  expect(folderOf('packages/core/src/nowhere/file.ts')).toBeUndefined();
  expect(folderOf('packages/core/src/stray.ts')).toBeUndefined();
  expect(folderOf('packages/core/src/wire/fields.ts')).toBe('wire');
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

/** Compares sources with the plan that are written for one test. */
function findBreachesIn(sources: Readonly<Record<string, string>>): ReturnType<typeof findBreaches> {
  const folder = mkdtempSync(path.join(tmpdir(), 'borders-'));
  try {
    for (const [file, source] of Object.entries(sources)) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
      writeFileSync(path.join(folder, file), source);
    }
    return findBreaches(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each([
  ['packages/node/src/a.ts', '@model-gateway/ui', 'node may not import @model-gateway/ui'],
  ['packages/node/src/a.ts', 'model-gateway/embed', 'node may not import model-gateway/embed'],
  ['packages/ui/src/a.ts', 'node:fs', 'the UI runs in browsers, without the modules of Node'],
  ['packages/ui/src/a.ts', '@model-gateway/core/nowhere', 'ui may not import @model-gateway/core/nowhere'],
  [
    'packages/node/src/a.ts',
    '../../../fixtures/acme/chat/hello/meta.json',
    'node may import by a relative path only files below packages/node/src/',
  ],
  [
    'desktop/src/main/a.ts',
    '../../../test/support/a.ts',
    'desktop may import by a relative path only files below desktop/src/',
  ],
  [
    'packages/server/src/a.ts',
    '@model-gateway/core/testing',
    'the product may not import @model-gateway/core/testing, which is for tests',
  ],
  ['packages/ui/src/a.ts', './app.css', undefined],
  ['packages/core/src/catalog/a.ts', './built-in/a.json', undefined],
  ['packages/core/src/catalog/a.ts', '../wire/a.json', 'catalog may import data only from beside it'],
  ['packages/ui/src/parts/a.ts', '../work.ts?worker&url', undefined],
  ['packages/server/src/a.ts', '@model-gateway/ui', undefined],
  ['desktop/src/main/a.ts', 'node:fs', undefined],
])('%s imports %s, behind which is no source of ours: %s', (from, specifier, reason) => {
  const { breaches } = findBreachesIn({ [from]: `import '${specifier}';` });
  expect(breaches.map((breach) => breach.reason)).toEqual(reason === undefined ? [] : [reason]);
});

test('a circle of packages is found where an entry point is no source', () => {
  const sources = {
    'packages/ui/package.json': '{"name":"@model-gateway/ui","exports":{".":{"default":"./index.js"}}}',
    'packages/ui/src/a.ts': "import 'model-gateway/embed';",
    'packages/server/src/a.ts': "import '@model-gateway/ui';",
  };
  expect(findBreachesIn(sources).packageCircles).toEqual([['server', 'ui']]);
});

const WIRE = { specifier: '@model-gateway/core/wire', to: 'packages/core/src/wire/index.ts' };
const BRIDGE = { specifier: '../desktop-bridge.ts', to: 'packages/ui/src/desktop-bridge.ts' };
const inUi = { from: 'packages/ui/src/api/queries.ts' };

test("the UI takes types from the core's types-only entry point, and nothing else of it", () => {
  expect(toBreach({ ...inUi, ...WIRE, isType: true })).toBeUndefined();
  expect(toBreach({ ...inUi, ...WIRE, isType: false })?.reason).toBe(
    'ui may import types alone of @model-gateway/core/wire',
  );
  const entry = { specifier: '@model-gateway/core', to: 'packages/core/src/index.ts' };
  expect(toBreach({ ...inUi, ...entry, isType: true })?.reason).toBe('ui may not import @model-gateway/core');
  const schema = { specifier: '../../../core/src/wire/index.ts', to: WIRE.to };
  expect(toBreach({ ...inUi, ...schema, isType: true })?.reason).toBe(
    'ui may import by a relative path only files below packages/ui/src/',
  );
});

test('the bundle of the UI imports zod neither itself nor by the contract of the desktop, but to read a file', () => {
  const zod = { specifier: 'zod', to: undefined };
  expect(toBreach({ ...inUi, ...zod, isType: false })?.reason).toBe('the bundle of the UI must not contain zod');
  expect(toBreach({ ...inUi, ...zod, isType: true })).toBeUndefined();
  expect(toBreach({ from: BRIDGE.to, ...zod, isType: false })).toBeUndefined();
  const late = 'packages/ui/src/screens/playground/experiments/experiment-schema.ts';
  expect(toBreach({ from: late, specifier: 'zod/mini', to: undefined, isType: false })).toBeUndefined();
  for (const to of [undefined, 'packages/ui/src/api/queries.ts']) {
    const other = { specifier: to === undefined ? 'react' : './api/queries.ts', to, isType: true };
    expect(toBreach({ from: BRIDGE.to, ...other })?.reason).toBe(
      'it runs in the page and in the desktop app, so it may import only zod',
    );
  }
  expect(toBreach({ ...inUi, ...BRIDGE, isType: false })?.reason).toBe(
    'the bundle may import types alone of packages/ui/src/desktop-bridge.ts',
  );
  expect(toBreach({ ...inUi, ...BRIDGE, isType: true })).toBeUndefined();
  const inDesktop = { from: 'desktop/src/main/window/bridge.ts', specifier: '@model-gateway/ui/desktop-bridge' };
  expect(toBreach({ ...inDesktop, to: BRIDGE.to, isType: false })).toBeUndefined();
});

test('of the folders in its column `types` a folder imports types alone', () => {
  const provider = { specifier: '../providers/provider.ts', to: 'packages/core/src/providers/provider.ts' };
  const inStores = { from: 'packages/core/src/stores/store.ts', ...provider };
  expect(toBreach({ ...inStores, isType: true })).toBeUndefined();
  expect(toBreach({ ...inStores, isType: false })?.reason).toBe('stores may import types alone of providers');
});

test.each([
  ['parts/a.ts', 'app/b.ts', undefined],
  ['app/a.ts', 'parts/b.ts', 'app may not import parts, which is above it'],
  ['features/keys/a.ts', 'screens/keys/b.ts', 'features may not import screens, which is above it'],
  ['screens/keys/a.ts', 'shell/b.ts', 'screens may not import shell, which is above it'],
  ['screens/keys/a.ts', 'screens/models/b.ts', 'the screens of keys may not import those of models'],
  ['screens/keys/a.ts', 'screens/keys/parts/b.ts', undefined],
  ['features/keys/a.ts', 'features/models/b.ts', undefined],
  ['shell/a.ts', 'router.tsx', 'only main.tsx imports router.tsx'],
])('in the UI %s imports %s: %s', (from, to, reason) => {
  const inside = { from: `packages/ui/src/${from}`, to: `packages/ui/src/${to}`, specifier: './b.ts', isType: true };
  expect(toBreach(inside)?.reason).toBe(reason);
});

test.each([
  ['serve/a.ts', 'open/b.ts', undefined],
  ['open/a.ts', 'serve/b.ts', 'open may not import serve, which is above it'],
  ['connect/a.ts', 'commands/keys.ts', 'connect may not import commands, which is above it'],
  ['commands/keys.ts', 'commands/migrate.ts', undefined],
  ['main.ts', 'commands/keys.ts', undefined],
  ['serve/a.ts', 'main.ts', 'no file imports main.ts'],
  ['serve/a.ts', 'demo-fixtures.ts', undefined],
  ['demo-fixtures.ts', 'process/b.ts', 'demo-fixtures.ts is known by its place alone'],
])('in the server %s imports %s: %s', (from, to, reason) => {
  const server = 'packages/server/src/';
  expect(toBreach({ from: server + from, to: server + to, specifier: './b.ts', isType: true })?.reason).toBe(reason);
});

test('the cases of the contracts are for tests: neither a folder nor the entry point of the core imports them', () => {
  const cases = { specifier: './testing/index.ts', to: 'packages/core/testing/index.ts', isType: false };
  for (const from of ['packages/core/src/index.ts', 'packages/core/src/api/routes.ts']) {
    expect(toBreach({ from, ...cases })?.reason).toBe('the product may not import testing, which is for tests');
  }
});
