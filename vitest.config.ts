import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

import { readEntryPoints } from './scripts/read-entry-points.ts';
import { createClosingLineReporter } from './test/support/test-run/closing-line-reporter.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/**
 * The source behind every public path of our packages. Tests run on the sources, not on `dist`, so that coverage sees
 * them and no build is needed; a path that a package does not export is missing for them as it is for users.
 */
const alias = [...readEntryPoints(root)].map(([entry, source]) => ({
  find: new RegExp(`^${entry}$`),
  replacement: root + source,
}));

/** A folder of tests that cross packages, run as a project of its own: `vitest run --project <name>`. */
const suite = (name: string) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`] },
});

/**
 * Its files share their modules, as those of `core`, `node` and the rest keep no state: to load them again for each file
 * takes twice as long as all the tests do.
 */
const sharing = <Test extends object>({ extends: inherited, test }: { extends: true; test: Test }) => ({
  extends: inherited,
  test: { ...test, isolate: false },
});

/** Tests beside the code. The UI's modules do keep state, as a page does. */
const unitSuite = (name: string, packagesPattern: string) => ({
  extends: true as const,
  test: { name, include: [`packages/${packagesPattern}/{src,testing}/**/*.test.ts`] },
});

/** Many of these tests run in virtual time. */
const withChatLoaded = <Test extends object>({ extends: inherited, test }: { extends: true; test: Test }) => ({
  extends: inherited,
  test: { ...test, setupFiles: ['./test/support/test-run/load-chat.ts'] },
});

/**
 * In browsers, which keep the machine busy: after the others. One is installed where there is none and that may be
 * done.
 */
const browserSuite = (name: string) => {
  const { extends: inherited, test } = suite(name);
  const order = { maxWorkers: 2, sequence: { groupOrder: 1 } };
  // The hooks start a gateway and a browser, often with data, for which Vitest's ten seconds are short: without them all
  // tests of the file are lost.
  const waiting = { testTimeout: 60_000, hookTimeout: 60_000 };
  return { extends: inherited, test: { ...test, ...order, ...waiting, globalSetup: './test/e2e/prepare.ts' } };
};

/**
 * With a real PostgreSQL and Redis, which all files share. The tests start servers and several gateways each, and kill
 * them: how long that takes says how busy the machine is, so whatever is only waited for has plenty of time.
 */
const enginesSuite = () => {
  const { extends: inherited, test } = suite('engines');
  const waiting = { expect: { poll: { timeout: 30_000 } }, testTimeout: 180_000, hookTimeout: 180_000 };
  const globalSetup = ['./test/engines/support/prepare.ts', './test/e2e/prepare.ts'];
  return { extends: inherited, test: { ...test, ...waiting, globalSetup } };
};

/** With llama.cpp's server and a model that the suite makes. */
const realSuite = () => {
  const { extends: inherited, test } = suite('real');
  return { extends: inherited, test: { ...test, hookTimeout: 360_000, globalSetup: './test/real/prepare.ts' } };
};

/**
 * What is run as users have it, with a browser that opens the link. Each test of the executable copies 140 MB first. Files
 * that pack the packages write to one folder: one after the other.
 */
const openedSuite = (name: string) => {
  const { extends: inherited, test } = suite(name);
  const order = { maxWorkers: 1, sequence: { groupOrder: 2 } };
  return { extends: inherited, test: { ...test, ...order, testTimeout: 60_000, globalSetup: './test/e2e/prepare.ts' } };
};

/** Opens windows on the one display: last, and one file after the other. */
const desktopSuite = () => {
  const { extends: inherited, test } = suite('desktop');
  const order = { maxWorkers: 1, sequence: { groupOrder: 2 } };
  // Tests that stand in for it find it as the app does, whose packages are not those of the root.
  const electron = { find: /^electron$/, replacement: `${root}desktop/node_modules/electron/index.js` };
  return {
    extends: inherited,
    resolve: { alias: [electron] },
    test: { ...test, ...order, globalSetup: './test/desktop/prepare.ts' },
  };
};

export default defineConfig({
  resolve: { alias },
  test: {
    passWithNoTests: true,
    // Vitest's own default leaves one CPU unused, which on a small machine is half of it.
    maxWorkers: '100%',
    // Many tests start a server or two, and the processes of other files share the CPUs with them. What is waited for
    // comes at once where the machine is idle; where it is busy, Vitest's own second is short.
    testTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    // Tests start some hundred processes of a few programs: the second start need not compile them again.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    // `npm test` has types and lint checked meanwhile: they take no more of the CPUs than tests leave, as browsers do.
    reporters: ['default', createClosingLineReporter(process.env['CHECK_BESIDE'])],
    projects: [
      withChatLoaded(sharing(unitSuite('unit', '!(ui)'))),
      unitSuite('ui', 'ui'),
      sharing(suite('contract')),
      sharing(suite('conformance')),
      sharing(suite('faults')),
      // `npm run fuzz` tries each target for as long as it is told to.
      suite('fuzz'),
      browserSuite('e2e'),
      // What each screen shows, one by one: `npm run test:screens`, as `npm test` is to end before a person goes away.
      browserSuite('screens'),
      desktopSuite(),
      // `npm run test:outside` alone installs or builds what these need.
      ...(process.env['TEST_OUTSIDE'] === undefined
        ? []
        : [...['hosts', 'jest', 'workers', 'python-client'].map(suite), ...['packed', 'binary'].map(openedSuite)]),
      // `npm run test:engines` alone starts PostgreSQL and Redis.
      ...(process.env['TEST_ENGINES'] === undefined ? [] : [enginesSuite()]),
      // `npm run test:real` alone starts a real model engine.
      ...(process.env['TEST_REAL'] === undefined ? [] : [realSuite()]),
      // `npm run test:agents` alone installs what these need.
      ...(process.env['TEST_AGENTS'] === undefined ? [] : [suite('agents')]),
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/{src,testing}/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
    },
  },
});
