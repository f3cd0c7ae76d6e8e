import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';

import type { DesktopInfo, Mode } from '../../desktop-bridge.ts';
import { MODES, type ModeWords, toModeWords } from '../../features/fixtures/mode-words.ts';

/** What the mode can be switched to, and by whom. */
export interface ModeChoice {
  readonly now: ModeWords;
  /** The option that is in force; undefined where there is nothing to choose. */
  readonly value: string | undefined;
  readonly options: readonly ModeOption[];
  /** Something to know before it is switched, or why it cannot be. */
  readonly note: string | null;
  /** Whether one click begins to record. */
  readonly canRecord: boolean;
}

export interface ModeOption {
  readonly value: string;
  readonly label: string;
  readonly meaning: string;
  /** As the gateway and the desktop app call it. */
  readonly target: FixtureMode;
}

const APP_MODES: Readonly<Record<Mode, FixtureMode>> = { live: 'live', replay: 'replay', record: 'record-all' };

/** Converts a mode of the gateway to the one of the desktop app that leads to it. */
export const toAppMode = (mode: FixtureMode): Mode => (mode === 'live' || mode === 'replay' ? mode : 'record');

/**
 * Converts what the gateway says of its mode to what its head offers. What is in force is always what the gateway says:
 * the settings of the desktop app may be of a gateway that is still starting, or that has nothing to record.
 */
export function toModeChoice(state: FixtureState, desktop: Pick<DesktopInfo, 'state'> | null): ModeChoice {
  const now = toModeWords(state);
  const isDemo = state.mode === 'replay' && !state.saves;
  if (desktop !== null) return toAppChoice(state, now, isDemo);
  const options = state.switches_to.map((mode) => ({ value: mode, ...MODES[mode], target: mode }));
  return {
    now,
    value: options.length === 0 ? undefined : state.mode,
    options,
    note: state.fixed_because ?? toPlace(state),
    canRecord: state.switches_to.includes('record-all') && state.recording === null,
  };
}

function toAppChoice(state: FixtureState, now: ModeWords, isDemo: boolean): ModeChoice {
  const options = Object.entries(APP_MODES)
    .filter(([mode]) => !isDemo || mode !== 'record')
    .map(([value, target]) => {
      const { label, meaning } = isDemo && value === 'live' ? now : MODES[target];
      return { value, label: value === 'record' ? 'Record' : label, meaning, target };
    });
  return {
    now,
    value: isDemo ? 'live' : toAppMode(state.mode),
    options,
    note: isDemo
      ? 'With a provider, calls go there, and can be recorded.'
      : 'The gateway starts anew with another mode, after open responses have ended.',
    canRecord: !isDemo && state.recording === null,
  };
}

function toPlace({ dir, cases }: FixtureState): string | null {
  if (dir === null) return null;
  return cases === 0 ? `Recordings go to ${dir}` : `${cases} fixtures in ${dir}`;
}
