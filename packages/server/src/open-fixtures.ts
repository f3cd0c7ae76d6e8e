import type { FixtureLibrary } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';

import type { FixtureUse, RecordOptions } from './fixture-use.ts';
import { LIVE, openSwitchable } from './open-switchable.ts';

export interface FixtureUseOptions {
  readonly config: GatewayConfig;
  /** The directory that is replayed; null when providers are called. */
  readonly replayDir: string | null;
  /** Whether new cases are saved in that directory. */
  readonly savesThere: boolean;
  readonly record: RecordOptions | null;
  /** The directory of recordings, of a gateway that neither replays nor records at first. Null without one. */
  readonly recordingsDir: string | null;
  /** Why the mode is not switched while it runs. Default: it is, where there is a directory. */
  readonly fixedMode: string | undefined;
  readonly secrets: readonly string[];
}

/**
 * Opens fixtures for replaying or recording. Throws `FixtureError`. Loads nothing for a gateway that does neither, until
 * it is switched.
 */
export async function openFixtures(options: FixtureUseOptions): Promise<FixtureUse> {
  const { config, replayDir, savesThere, record, recordingsDir, fixedMode, secrets } = options;
  const { models } = config;
  if (replayDir !== null) {
    const { openReplay } = await import('@model-gateway/fixtures');
    const fixedBecause = fixedMode ?? (savesThere ? FIXED.fixtures : FIXED.demo);
    const { library, wrap, ...replay } = await openReplay({ dir: replayDir, saves: savesThere, secrets, fixedBecause });
    return { library, wrap, replay };
  }
  if (record !== null) {
    const { openRecording } = await import('@model-gateway/fixtures');
    return openRecording({
      ...record,
      fixedBecause: fixedMode ?? (recordingsDir === null ? FIXED.host : undefined),
      models,
      secrets,
    });
  }
  const live = createLiveLibrary(secrets, FIXED_BY_STORE[config.store.type]);
  if (recordingsDir !== null)
    return openSwitchable({ dir: recordingsDir, models, secrets, handsOut: live, fixedBecause: fixedMode });
  return { library: live, wrap: (gateway) => gateway };
}

const FIXED = {
  demo: 'The demo has no provider that could be called or recorded: start the gateway without --demo, or set one up',
  fixtures: 'A gateway that was started with --fixtures has no provider to call: start it with providers to switch it',
  memory: 'There is no directory for recordings, because the store is in memory: start with --record DIR',
  host: 'The application that runs this gateway decides its mode',
};

/** For a gateway without a directory of recordings. */
const FIXED_BY_STORE = {
  json: FIXED.host,
  memory: FIXED.memory,
  postgres: 'Several processes share this gateway, and each has a mode of its own: start one with --record DIR',
} as const;

/** Has no cases; a case that is made of a generation is handed out. */
function createLiveLibrary(secrets: readonly string[], fixedBecause: string): FixtureLibrary {
  const open = async (): Promise<FixtureLibrary> => {
    const { createFixtureLibrary } = await import('@model-gateway/fixtures');
    return createFixtureLibrary({ mode: 'live', recordAt: null, dir: null, fixtures: [], secrets });
  };
  return {
    describe: () => ({ ...LIVE, fixed_because: fixedBecause }),
    listCases: () => ({ rows: [], total: 0 }),
    findCase: () => undefined,
    listMisses: () => [],
    findMiss: () => undefined,
    acceptMiss: async (id) => (await open()).acceptMiss(id),
    save: async (stored) => (await open()).save(stored),
  };
}
