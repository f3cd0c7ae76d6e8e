import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import type { OptionalMember, StorePlace } from '@model-gateway/core/testing';
import { createJsonFileStore } from '@model-gateway/node';

/** A kind of store that must meet the facts of `@model-gateway/core/testing`. */
export interface StoreImplementation {
  readonly name: string;
  /** Whether a store opened later finds what an earlier one was given. */
  readonly isDurable: boolean;
  /** Whether it drops what is older than retention by itself, what guardrails did included. */
  readonly hasRetention?: true;
  /** What it does without. */
  readonly lacks: readonly OptionalMember[];
  createPlace(): Promise<StorePlace>;
}

/** What processes at one store ask each other's work by, of which these stores have one. */
const OF_SEVERAL_PROCESSES: readonly OptionalMember[] = [
  'batches.listBatches',
  'batches.listOpenBatches',
  'batches.listSubmissionsOf',
  'batches.pageResultsOf',
  'broadcasts.listOf',
  'broadcasts.page',
  'files.listOf',
  'generations.follow',
  'guardrailHits.listDays',
  'presets.listHeads',
  'prompts.listHeads',
  'reruns.listPartsOf',
  'reruns.listReruns',
  'videoJobs.findByIdempotencyKey',
  'videoJobs.listNewest',
  'videoJobs.listOrdered',
  'videoJobs.listWorking',
  'videoJobs.page',
];

/** Every store there is: a new one joins by one line. */
export const storeImplementations: readonly StoreImplementation[] = [
  {
    name: 'memory',
    isDurable: false,
    lacks: [...OF_SEVERAL_PROCESSES, 'generations.noteRunning'],
    createPlace: async () => inMemory,
  },
  { name: 'json-file', isDurable: true, hasRetention: true, lacks: OF_SEVERAL_PROCESSES, createPlace: createDirectory },
];

const inMemory: StorePlace = { open: async () => createMemoryStore(), remove: async () => undefined };

async function createDirectory(): Promise<StorePlace> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-store-'));
  return { open: () => createJsonFileStore({ dir }), remove: () => rm(dir, { recursive: true }) };
}
