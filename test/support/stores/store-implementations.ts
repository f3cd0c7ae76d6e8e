import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import type { StorePlace } from '@model-gateway/core/testing';
import { createJsonFileStore } from '@model-gateway/node';

/** A kind of store that must meet the facts of `@model-gateway/core/testing`. */
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
