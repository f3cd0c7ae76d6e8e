import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger, SampleData } from '@model-gateway/core';
import { createJsonFileStore, type JsonFileStore, type JsonFileStoreOptions } from '@model-gateway/node';

import { openSampleData } from './sample-mark.ts';

interface DemoStore {
  readonly store: JsonFileStore;
  readonly sampleData: SampleData;
}

/**
 * Opens the demo's own directory; a new one is filled with made-up calls before. Without them the demo starts all the
 * same. The caller closes the store.
 */
export async function openDemoStore(
  options: JsonFileStoreOptions & { readonly logger: Logger },
  fixturesDir: string,
): Promise<DemoStore> {
  const { dir, logger } = options;
  if (!existsSync(join(dir, 'config.json'))) {
    try {
      const { seedSamples } = await import('./seed-samples.ts');
      await seedSamples(dir, fixturesDir);
    } catch (error) {
      logger.warn('the demo begins without sample data', { error });
    }
  }
  const store = await createJsonFileStore(options);
  return { store, sampleData: await openSampleData(dir, store) };
}
