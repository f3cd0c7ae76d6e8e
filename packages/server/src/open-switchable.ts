import { existsSync } from 'node:fs';

import {
  type FixtureLibrary,
  type FixtureState,
  type Gateway,
  GatewayError,
  sendWhole,
  type Transport,
} from '@model-gateway/core';
// Types alone: the package is loaded when fixtures are first looked at or used.
import type { OpenedRecording, OpenRecordingOptions } from '@model-gateway/fixtures';

import type { FixtureUse } from './fixture-use.ts';

/** The state of a gateway that calls providers and has no case. */
export const LIVE: FixtureState = {
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

interface SwitchableOptions extends Pick<OpenRecordingOptions, 'dir' | 'models' | 'secrets' | 'fixedBecause'> {
  /** Takes what is saved while there is no directory. */
  readonly handsOut: Pick<FixtureLibrary, 'save'>;
}

/** Calls providers until somebody switches to recording or replaying. Until then, calls pass by it. */
export function openSwitchable(options: SwitchableOptions): FixtureUse {
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
    if (!isThere()) return { ...LIVE, dir, switches_to, fixed_because };
    try {
      return await (await library()).describe();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { ...LIVE, dir, fixed_because: error.message };
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
      save: async (stored) => (isThere() ? (await library()).save(stored) : handsOut.save(stored)),
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
