import type { FixtureLibrary, Gateway, ModelDefinition, Provider, Transport } from '@model-gateway/core';
import type { GatewayConfig, ProviderConfig } from '@model-gateway/node';

import type { RecordOptions } from './commands/parse-command.ts';

/** How a gateway uses fixtures: for responses, for recording, or not at all. */
export interface FixtureUse {
  readonly library: FixtureLibrary;
  /** Providers that replace the configured ones. Undefined when the configured ones are called. */
  readonly replay?: { readonly providers: readonly Provider[]; readonly models: readonly ModelDefinition[] };
  /** Wraps the transport of a provider with a recorder. */
  readonly recordUpstream?: ((provider: ProviderConfig, upstream: Transport) => Transport) | undefined;
  readonly wrap: (gateway: Gateway) => Gateway;
}

export interface FixtureUseOptions {
  readonly config: GatewayConfig;
  /** The directory that is replayed; null when providers are called. */
  readonly replayDir: string | null;
  /** Whether new cases are saved in that directory. */
  readonly savesThere: boolean;
  readonly record: RecordOptions | null;
  readonly secrets: readonly string[];
}

/** Opens fixtures for replaying or recording. Throws `FixtureError`. Loads nothing for a gateway that does neither. */
export async function openFixtures(options: FixtureUseOptions): Promise<FixtureUse> {
  const { config, replayDir, savesThere, record, secrets } = options;
  if (replayDir !== null) {
    const { openReplay } = await import('@model-gateway/fixtures');
    const { library, wrap, ...replay } = openReplay({ dir: replayDir, saves: savesThere, secrets });
    return { library, wrap, replay };
  }
  if (record !== null) {
    const { openRecording } = await import('@model-gateway/fixtures');
    return openRecording({ ...record, models: config.models, secrets });
  }
  return { library: createLiveLibrary(secrets), wrap: (gateway) => gateway };
}

/** Has no cases; a case that is made of a generation is handed out. */
function createLiveLibrary(secrets: readonly string[]): FixtureLibrary {
  const open = async (): Promise<FixtureLibrary> => {
    const { createFixtureLibrary } = await import('@model-gateway/fixtures');
    return createFixtureLibrary({ mode: 'live', recordAt: null, dir: null, fixtures: [], secrets });
  };
  return {
    describe: () => ({
      mode: 'live',
      record_at: null,
      dir: null,
      saves: false,
      cases: 0,
      unused: 0,
      misses: 0,
      sets: [],
    }),
    listCases: () => ({ rows: [], total: 0 }),
    findCase: () => undefined,
    listMisses: () => [],
    findMiss: () => undefined,
    acceptMiss: async (id) => (await open()).acceptMiss(id),
    save: async (stored) => (await open()).save(stored),
  };
}
