import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createJsonFileStore } from '@model-gateway/node';

/** A place that stores are opened on, one after the other. */
export interface StorePlace {
  open(): Promise<Store>;
  /** Removes whatever the stores have left. They are closed. */
  remove(): Promise<void>;
}

/** A kind of store that must meet the facts in `test/contract/stores.test.ts`. */
export interface StoreImplementation {
  readonly name: string;
  /** Whether a store opened later finds what an earlier one was given. */
  readonly isDurable: boolean;
  createPlace(): Promise<StorePlace>;
}

/** Every store there is: a new one joins by one line. */
export const storeImplementations: readonly StoreImplementation[] = [
  { name: 'memory', isDurable: false, createPlace: async () => inMemory },
  { name: 'json-file', isDurable: true, createPlace: createDirectory },
];

const inMemory: StorePlace = { open: async () => createMemoryStore(), remove: async () => undefined };

async function createDirectory(): Promise<StorePlace> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  return { open: () => createJsonFileStore({ dir }), remove: () => rm(dir, { recursive: true }) };
}
