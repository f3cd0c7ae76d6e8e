import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';

import type { Tone } from '../../parts/badge.tsx';

/** The word for what becomes of calls, and its meaning. */
export interface ModeWords {
  readonly label: string;
  readonly tone: Tone;
  readonly meaning: string;
}

export const MODES: Readonly<Record<FixtureMode, ModeWords>> = {
  live: {
    label: 'Live',
    tone: 'neutral',
    meaning: 'Calls go to the providers, and nothing is written down.',
  },
  replay: {
    label: 'Replay',
    tone: 'accent',
    meaning: 'Fixtures answer all calls. No provider is ever called; what no fixture answers fails with 404.',
  },
  'record-missing': {
    label: 'Record missing',
    tone: 'caution',
    meaning: 'Fixtures answer what they can. The rest goes to the providers, and what they answer becomes a fixture.',
  },
  'record-all': {
    label: 'Record all',
    tone: 'caution',
    meaning: 'All calls go to the providers, and what they answer becomes a fixture, in the place of an older one.',
  },
};

const DEMO: ModeWords = {
  label: 'Demo',
  tone: 'accent',
  meaning: 'Recordings that come with the program answer all calls: no network, no key, no cost.',
};

/** The word for what becomes of calls, and its meaning, wherever the mode is shown. */
export const toModeWords = ({ mode, saves }: Pick<FixtureState, 'mode' | 'saves'>): ModeWords =>
  // Only the demo's own recordings take no further ones.
  mode === 'replay' && !saves ? DEMO : MODES[mode];
