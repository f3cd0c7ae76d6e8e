import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { createClosingLineReporter } from './test/support/closing-line-reporter.ts';

const packages = fileURLToPath(new URL('packages', import.meta.url));

/** A folder of tests that cross packages, run as a project of its own: `vitest run --project <name>`. */
const suite = (name: string) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`] },
});

/** In one process after the other: each opens windows on the one display. */
const desktopSuite = () => {
  const { extends: inherited, test } = suite('desktop');
  const globalSetup = './test/desktop/prepare.ts';
  return { extends: inherited, test: { ...test, globalSetup, maxWorkers: 1, sequence: { groupOrder: 1 } } };
};

/** In a browser, which is installed where there is none and that may be done. */
const e2eSuite = () => {
  const { extends: inherited, test } = suite('e2e');
  return { extends: inherited, test: { ...test, globalSetup: './test/e2e/prepare.ts' } };
};

export default defineConfig({
  resolve: {
    // Tests run on the sources, not on `dist`, so that coverage sees them and no build is needed.
    alias: [
      { find: /^@model-gateway\/([a-z]+)$/, replacement: `${packages}/$1/src/index.ts` },
      { find: /^@model-gateway\/([a-z]+)\/(.+)$/, replacement: `${packages}/$1/src/$2.ts` },
    ],
  },
  test: {
    passWithNoTests: true,
    reporters: ['default', createClosingLineReporter()],
    projects: [
      { extends: true, test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'] } },
      suite('contract'),
      suite('conformance'),
      suite('faults'),
      e2eSuite(),
      desktopSuite(),
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
    },
  },
});
