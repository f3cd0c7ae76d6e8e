import { readFileSync } from 'node:fs';
import process from 'node:process';

import { mergeConfig, type ViteUserConfig } from 'vitest/config';

import config from '../../vitest.config.ts';

const { MUTATED_FILE: file, MUTATED_SOURCE: source } = process.env;
const isMutated = (id: string): boolean => file !== undefined && id.split('?')[0] === file;

const plugin: NonNullable<ViteUserConfig['plugins']>[number] = {
  name: 'mutant',
  enforce: 'pre',
  load: (id) => (isMutated(id) && source !== undefined ? readFileSync(source, 'utf8') : undefined),
  // Vitest keeps modules from run to run by what their file says: a mutant would not be seen, or seen by later runs.
  configureVitest: ({ defineCacheKeyGenerator }) => {
    defineCacheKeyGenerator(({ id }) => (isMutated(id) ? false : undefined));
  },
};

/**
 * The tests as they are, with one module read from elsewhere: no file of the checkout is ever written. They have plenty
 * of time, so that a busy machine kills no mutant.
 */
export default mergeConfig(config, { plugins: [plugin], test: { testTimeout: 60_000, hookTimeout: 60_000 } });
