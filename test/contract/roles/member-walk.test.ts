import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createJsonFileStore } from '@model-gateway/node';
import { test } from 'vitest';

import { type OpenStore, walkAsMembers } from './walk.ts';

const openMemory: OpenStore = async () => ({ store: createMemoryStore(), close: async () => undefined });

const openFiles: OpenStore = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-roles-'));
  const store = await createJsonFileStore({ dir });
  return {
    store,
    async close() {
      await store.close();
      await rm(dir, { recursive: true });
    },
  };
};

const IS_FULL = process.env['TEST_FULL'] === '1';

// The store in memory parses every call whenever it is asked.
test.each([
  ['memory', openMemory, IS_FULL ? 1000 : 250],
  ['json-file', openFiles, IS_FULL ? 10_000 : 2500],
] as const)(
  'shows a member of an organization in a %s store what they would see if nothing of others were there',
  (_, open, count) => walkAsMembers(open, count),
  IS_FULL ? 1_200_000 : 60_000,
);
