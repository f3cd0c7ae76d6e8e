import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

import { callApi } from '../../api/call-api.ts';
import { getDesktop } from '../../app/desktop.ts';
import { fixtureStateQuery } from '../../features/fixtures/fixture-queries.ts';
import { MODES } from '../../features/fixtures/mode-words.ts';
import { formatCount } from '../../format/quantity.ts';
import { showToast } from '../../parts/messages/toast-store.ts';
import { toAppMode } from './to-mode-choice.ts';

/** The mode before recording, which its end leads back to. A replay must not end in calls that cost something. */
let modeBefore: FixtureMode = 'live';

interface ModeSwitch {
  readonly isBusy: boolean;
  switchTo(mode: FixtureMode): void;
  record(): void;
  /** Ends the recording and leads to what was recorded. */
  stop(): void;
}

/** Switches the mode: of the gateway, or in the desktop app by the app, which starts the gateway anew. */
export function useSwitchMode(state: FixtureState): ModeSwitch {
  const navigate = useNavigate();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: switchMode,
    onSuccess(next) {
      if (next !== null) client.setQueryData(fixtureStateQuery.queryKey, next);
      void client.invalidateQueries({ queryKey: ['fixtures'] });
    },
    onError: ({ message }) => showToast({ tone: 'bad', title: 'The mode was not switched', detail: message }),
  });
  /** The palette is gone before the gateway responds, and what follows happens all the same. */
  const ask = (mode: FixtureMode, then: (next: FixtureState | null) => void): void => {
    if (state.recording === null) modeBefore = state.mode;
    change.mutateAsync(mode).then(then, () => undefined);
  };
  const end = async (): Promise<void> => {
    // The number that is shown is some seconds old.
    const { recording } = await client.fetchQuery({ ...fixtureStateQuery, staleTime: 0 }).catch(() => state);
    ask(modeBefore, (next) => {
      const cases = recording?.cases ?? 0;
      if (cases === 0) return showToast({ tone: 'neutral', title: 'Nothing was recorded: no call ended meanwhile' });
      showToast({ tone: 'good', title: `${formatCount(cases)} recorded` });
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

/** Resolves to the state of the gateway; to null where it starts anew. */
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
