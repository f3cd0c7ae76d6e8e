import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

import { callApi } from '../../api/call-api.ts';
import { getDesktop } from '../../app/desktop.ts';
import type { DesktopInfo, Mode } from '../../desktop-bridge.ts';
import { fixtureStateQuery, MODES, type ModeWords, toModeWords } from '../../features/fixtures/fixture-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import { shellMessages } from '../messages.ts';
import { forgetModeBefore, keepModeBefore, noteRecording, toModeAfter } from './mode-before.ts';

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
const toAppMode = (mode: FixtureMode): Mode => (mode === 'live' || mode === 'replay' ? mode : 'record');

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
      return { value, label, meaning, target };
    });
  return {
    now,
    value: isDemo ? 'live' : toAppMode(state.mode),
    options,
    note: isDemo ? shellMessages().mode.demoNote : shellMessages().mode.appNote,
    canRecord: !isDemo && state.recording === null,
  };
}

function toPlace({ dir, cases }: FixtureState): string | null {
  if (dir === null) return null;
  const { recordingsIn, fixturesIn } = shellMessages().mode;
  return cases === 0 ? recordingsIn(dir) : fixturesIn(formatCount(cases), dir);
}

interface ModeSwitch {
  readonly isBusy: boolean;
  switchTo(mode: FixtureMode): void;
  record(): void;
  /** Ends the recording and leads to what was recorded. */
  stop(): void;
}

/** Switches the mode: of the gateway, or in the desktop app by the app, which starts the gateway again. */
export function useSwitchMode(state: FixtureState): ModeSwitch {
  const navigate = useNavigate();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: switchMode,
    onSuccess(next, mode) {
      forgetModeBefore(mode);
      if (next !== null) noteRecording(state.recording, next.recording);
      if (next !== null) client.setQueryData(fixtureStateQuery.queryKey, next);
      void client.invalidateQueries({ queryKey: ['fixtures'] });
    },
    onError: (error) => showFailure(shellMessages().mode.notSwitched, error),
  });
  /** The palette is gone before the gateway responds, and what follows happens all the same. */
  const ask = (mode: FixtureMode, then: (next: FixtureState | null) => void): void => {
    keepModeBefore(state, mode);
    change.mutateAsync(mode).then(then, () => undefined);
  };
  const end = async (): Promise<void> => {
    // The number that is shown is some seconds old.
    const latest = await client.fetchQuery({ ...fixtureStateQuery, staleTime: 0 }).catch(() => state);
    const { recording } = latest;
    ask(toModeAfter(latest), (next) => {
      const cases = recording?.cases ?? 0;
      if (cases === 0) return showToast({ tone: 'neutral', title: shellMessages().mode.nothingRecorded });
      showToast({ tone: 'good', title: shellMessages().mode.recorded(formatCount(cases)) });
      // What another process of the desktop app has recorded is there without its time.
      const search = next === null || recording === null ? {} : { since: recording.since };
      void navigate({ to: '/fixtures', search });
    });
  };
  return {
    isBusy: change.isPending,
    switchTo: (mode) =>
      ask(mode, () => showToast({ tone: 'good', title: MODES[mode].label, detail: MODES[mode].meaning })),
    record: () => ask('record-all', () => undefined),
    stop: () => void end(),
  };
}

/** Resolves to the state of the gateway; to null where it restarts. */
async function switchMode(mode: FixtureMode): Promise<FixtureState | null> {
  const desktop = getDesktop();
  if (desktop === undefined) {
    const { data } = await callApi<{ data: FixtureState }>('/admin/v1/fixtures', { method: 'PATCH', body: { mode } });
    return data;
  }
  const { done, message } = await desktop.changeSettings({ mode: toAppMode(mode) });
  if (!done) throw new Error(message);
  return null;
}
