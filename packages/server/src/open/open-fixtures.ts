import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';

import {
  type FixtureLibrary,
  type FixtureState,
  type Gateway,
  GatewayError,
  type Logger,
  type ModelDefinition,
  type Provider,
  sendWhole,
  type Transport,
} from '@model-gateway/core';
import type { OpenedRecording, OpenRecordingOptions } from '@model-gateway/fixtures';
import { type GatewayConfig, makeDirectory, type ProviderConfig } from '@model-gateway/node';

import { describeFileError, StartError } from '../process/start-error.ts';

/** Directory for recordings of upstreams' or the gateway's responses. */
export interface RecordOptions {
  readonly dir: string;
  readonly mode: 'record-all' | 'record-missing';
  readonly at: 'upstream' | 'edge';
}

/** How a gateway uses fixtures: for responses, for recording, or not at all. */
export interface FixtureUse {
  readonly library: FixtureLibrary;
  /** Providers that replace the configured ones. Undefined when the configured ones are called. */
  readonly replay?: { readonly providers: readonly Provider[]; readonly models: readonly ModelDefinition[] };
  /** Wraps the transport of a provider with a recorder. */
  readonly recordUpstream?: ((provider: ProviderConfig, upstream: Transport) => Transport) | undefined;
  readonly wrap: (gateway: Gateway) => Gateway;
}

interface FixtureUseOptions {
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
  readonly logger: Logger;
}

/**
 * Opens fixtures for replaying or recording. Throws `FixtureError`. Loads nothing for a gateway that does neither, until
 * it is switched.
 */
export async function openFixtures(options: FixtureUseOptions): Promise<FixtureUse> {
  const { config, replayDir, savesThere, record, recordingsDir, fixedMode, secrets, logger } = options;
  const { models } = config;
  if (replayDir !== null) {
    const { openReplay } = await import('@model-gateway/fixtures');
    const fixedBecause = fixedMode ?? (savesThere ? SWITCH_FIXED.fixtures : SWITCH_FIXED.demo);
    const { library, wrap, ...replay } = await openReplay({ dir: replayDir, saves: savesThere, secrets, fixedBecause });
    return { library, wrap, replay };
  }
  if (record !== null) {
    await refuseUnwritable(record.dir);
    const { openRecording } = await import('@model-gateway/fixtures');
    return openRecording({
      ...record,
      fixedBecause: fixedMode ?? (recordingsDir === null ? SWITCH_FIXED.host : undefined),
      models,
      secrets,
      logger,
    });
  }
  const live = createLiveLibrary(secrets, SWITCH_FIXED_BY_STORE[config.store.type]);
  if (recordingsDir !== null)
    return openSwitchable({ dir: recordingsDir, models, secrets, logger, handsOut: live, fixedBecause: fixedMode });
  return { library: live, wrap: (gateway) => gateway };
}

const ANYONE = 0o777;

/** Tries at the start what each recording will do, so that no call is the first to find out. Throws `StartError`. */
async function refuseUnwritable(dir: string): Promise<void> {
  const probe = join(dir, `.writable.${process.pid}`);
  try {
    await makeDirectory(resolve(dir), ANYONE);
    await writeFile(probe, '');
    await rm(probe);
  } catch (cause) {
    const reason = describeFileError(cause);
    throw new StartError(
      `Cannot record in ${dir}: ${reason}. Choose another directory with --record, or with --dir of "record".`,
      { cause },
    );
  }
}

const SWITCH_FIXED = {
  demo: 'The demo has no provider that could be called or recorded: start the gateway without --demo, or set one up',
  fixtures: 'A gateway that was started with --fixtures has no provider to call: start it with providers to switch it',
  memory: 'There is no directory for recordings, because the store is in memory: start with --record DIR',
  host: 'The host application sets the mode of this gateway',
};

/** For a gateway without a directory of recordings. */
const SWITCH_FIXED_BY_STORE = {
  json: SWITCH_FIXED.host,
  memory: SWITCH_FIXED.memory,
  postgres: 'Several processes share this gateway, and each has its own mode: start one with --record DIR',
  module: 'There is no directory for recordings, because the store is of your own: start with --record DIR',
} as const;

/** Has no cases; a case that is made of a generation is handed out. */
function createLiveLibrary(secrets: readonly string[], fixedBecause: string): FixtureLibrary {
  const open = async (): Promise<FixtureLibrary> => {
    const { createFixtureLibrary } = await import('@model-gateway/fixtures');
    return createFixtureLibrary({ mode: 'live', recordAt: null, dir: null, fixtures: [], secrets });
  };
  return {
    describe: () => ({ ...LIVE_USE, fixed_because: fixedBecause }),
    listCases: () => ({ rows: [], total: 0 }),
    findCase: () => undefined,
    listMisses: () => [],
    findMiss: () => undefined,
    acceptMiss: async (id) => (await open()).acceptMiss(id),
    toSuite: async (suite, folder) => (await import('@model-gateway/fixtures')).toSuite(suite, folder),
    save: async (stored, isHandedOut) => (await open()).save(stored, isHandedOut),
  };
}

/** The state of a gateway that calls providers and has no case. */
const LIVE_USE: FixtureState = {
  mode: 'live',
  switches_to: [],
  fixed_because: null,
  recording: null,
  record_at: null,
  dir: null,
  saves: false,
  cases: 0,
  unused: 0,
  misses: 0,
  sets: [],
};

interface SwitchableOptions extends Pick<
  OpenRecordingOptions,
  'dir' | 'models' | 'secrets' | 'fixedBecause' | 'logger'
> {
  /** Takes what is saved while there is no directory. */
  readonly handsOut: Pick<FixtureLibrary, 'save'>;
}

/** Calls providers until the mode is switched to recording or replaying. Until then, calls pass by it. */
function openSwitchable(options: SwitchableOptions): FixtureUse {
  const { handsOut, ...place } = options;
  const { dir } = place;
  let opened: OpenedRecording | undefined;
  const open = async (): Promise<OpenedRecording> => {
    const { FixtureError, openRecording } = await import('@model-gateway/fixtures');
    try {
      return (opened ??= openRecording({ ...place, mode: 'live', at: 'upstream' }));
    } catch (cause) {
      if (!(cause instanceof FixtureError)) throw cause;
      throw new GatewayError('conflict', `The recordings in ${dir} cannot be read: ${cause.message}`, { cause });
    }
  };
  const isThere = (): boolean => opened !== undefined || existsSync(dir);
  const library = async (): Promise<FixtureLibrary> => (await open()).library;
  const describe = async (): Promise<FixtureState> => {
    const { fixedBecause: fixed_because = null } = place;
    const switches_to = fixed_because === null ? [...SWITCHES_TO] : [];
    if (!isThere()) return { ...LIVE_USE, dir, switches_to, fixed_because };
    try {
      return await (await library()).describe();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { ...LIVE_USE, dir, fixed_because: error.message };
    }
  };
  return {
    library: {
      describe,
      switchTo: async (mode) => (await open()).library.switchTo?.(mode) ?? describe(),
      listCases: async (query) => (isThere() ? (await library()).listCases(query) : { rows: [], total: 0 }),
      findCase: async (path) => (isThere() ? (await library()).findCase(path) : undefined),
      listMisses: async () => (isThere() ? (await library()).listMisses() : []),
      findMiss: async (id) => (isThere() ? (await library()).findMiss(id) : undefined),
      acceptMiss: async (id) => (await library()).acceptMiss(id),
      save: async (stored, isHandedOut) =>
        isThere() ? (await library()).save(stored, isHandedOut) : handsOut.save(stored, isHandedOut),
    },
    recordUpstream(provider, upstream) {
      let switched: Transport | undefined;
      const current = (): Transport =>
        opened === undefined ? upstream : (switched ??= opened.recordUpstream(provider, upstream));
      return { send: (request) => current().send(request), sendWhole: (request) => sendWhole(current(), request) };
    },
    wrap(gateway) {
      let switched: Gateway | undefined;
      const current = (): Gateway => (opened === undefined ? gateway : (switched ??= opened.wrap(gateway)));
      return { ...gateway, handle: (request) => current().handle(request) };
    },
  };
}

const SWITCHES_TO: FixtureState['switches_to'] = ['live', 'replay', 'record-missing', 'record-all'];
