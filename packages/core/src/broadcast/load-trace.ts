import type { BootstrapKey } from '../auth/authenticate.ts';
import { createFindKeyNames } from '../auth/keys.ts';
import type { Platform } from '../foundation/platform.ts';
import { toPublicContent } from '../generations/to-generation.ts';
import type { Store } from '../stores/store.ts';
import type { Destination } from '../wire/destinations.ts';
import { isSampled } from './destination-filter.ts';
import type { BroadcastTrace } from './destination-format.ts';
import { forDestination, toBroadcastTrace } from './to-broadcast-trace.ts';

export interface TraceLoaderOptions {
  readonly store: Pick<Store, 'generations' | 'keys'>;
  readonly platform: Platform;
  readonly bootstrapKeys: readonly BootstrapKey[];
}

/** Reads a generation for a destination; undefined when it was deleted, is not in the sample, or fails the rules. */
export type LoadTrace = (generationId: string) => Promise<BroadcastTrace | undefined>;

/** Creates a reader that loads generations from the store and adds the given facts about them. */
export function createTraceLoader({
  store,
  platform,
  bootstrapKeys,
}: TraceLoaderOptions): (destination: Destination) => Promise<LoadTrace> {
  const findKeyNames = createFindKeyNames(bootstrapKeys, { platform, store });
  return async (destination) => {
    // Loaded only for destinations with rules, because it imports an engine for patterns.
    const rules = destination.filter_rules;
    const matches = rules === null ? undefined : (await import('./filter-rules.ts')).compileFilterRules(rules);
    return async (id) => {
      const record = await store.generations.get(id);
      if (record === undefined || !(await isSampled(destination, record, platform))) return undefined;
      const stored = await store.generations.getContent(id);
      const content = stored && toPublicContent(stored);
      const { [record.principalId]: apiKeyName = null } = await findKeyNames(new Set([record.principalId]));
      const trace = await toBroadcastTrace({ record, content, apiKeyName }, platform);
      return matches?.(trace) === false ? undefined : forDestination(trace, destination);
    };
  };
}
