import type { Destination, GenerationContent, GenerationRecord, Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform } from '@model-gateway/node';

import { type Broadcaster, createBroadcaster } from '../../../packages/core/src/broadcast/broadcaster.ts';
import type { Platform } from '../../../packages/core/src/foundation/platform.ts';
import { toContent, toRecord } from '../stores/generation-records.ts';
import { createBroadcastOptions } from './broadcast-options.ts';

export const WORKSPACE_ID = '00000000-0000-4000-8000-000000000000';

/** A broadcaster over a store, without the gateway around them. */
export interface BroadcastBench {
  readonly broadcaster: Broadcaster;
  readonly store: Store;
  readonly logged: readonly string[];
  /** Records a call, as the gateway does. */
  record(
    id: string,
    changes?: Parameters<typeof toRecord>[1],
    content?: GenerationContent | null,
  ): Promise<GenerationRecord>;
  /** Adds a destination and takes note of it. */
  add(id: string, destination: Partial<Destination> & Pick<Destination, 'type' | 'config'>): Promise<Destination>;
}

export function createBroadcastBench(
  options: {
    readonly store?: Store;
    readonly platform?: Platform;
    readonly broadcast?: ReturnType<typeof createBroadcastOptions>;
    readonly create?: typeof createBroadcaster;
  } = {},
): BroadcastBench {
  const store = options.store ?? createMemoryStore();
  const platform = options.platform ?? createNodePlatform();
  const logged: string[] = [];
  const log = (message: string, fields?: unknown): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const broadcaster = (options.create ?? createBroadcaster)({
    store,
    platform,
    logger: { info: log, warn: log, error: log },
    random: () => 0,
    bootstrapKeys: [{ key: 'sk-dev', kind: 'api', name: 'dev' }],
    broadcast: options.broadcast ?? createBroadcastOptions(),
  });
  return {
    broadcaster,
    store,
    logged,
    async record(id, changes = {}, content = toContent(id)) {
      const record = toRecord(id, {
        ...changes,
        generation: {
          created_at: new Date(platform.now()).toISOString(),
          generation_time: 1500,
          latency: 250,
          ...changes.generation,
        },
      });
      await store.generations.append(record, content);
      await broadcaster.offer(record);
      return record;
    },
    async add(id, destination) {
      const row = toDestination(id, { ...destination, updated_at: new Date(platform.now()).toISOString() });
      await store.destinations.insert(row);
      await broadcaster.refresh();
      return row;
    },
  };
}

/** A destination with everything on. */
export function toDestination(
  id: string,
  destination: Partial<Destination> & Pick<Destination, 'type' | 'config'>,
): Destination {
  return {
    id,
    workspace_id: WORKSPACE_ID,
    name: id,
    enabled: true,
    privacy_mode: false,
    sampling_rate: 1,
    api_key_hashes: null,
    filter_rules: null,
    broadcast_generation_cost: true,
    broadcast_generation_identity: true,
    broadcast_generation_request_context: true,
    regions: ['global'],
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...destination,
  };
}
