import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, CircleDot, Square } from 'lucide-react';

import { useDesktopInfo } from '../../app/desktop.ts';
import { fixtureStateQuery } from '../../features/fixtures/fixture-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { ModeMenu } from './mode-menu.tsx';
import { toModeChoice } from './to-mode-choice.ts';
import { useSwitchMode } from './use-switch-mode.ts';

const RECORDING_REFRESH_MS = 2000;
/** Somebody may have switched it by another way than a page of this browser. */
const REFRESH_MS = 15_000;

/** What becomes of calls, in one word that opens the choice of others; and recording by one click. */
export function ModeSwitch() {
  const { data: state } = useQuery({
    ...fixtureStateQuery,
    refetchInterval: ({ state: { data } }) => (data?.recording == null ? REFRESH_MS : RECORDING_REFRESH_MS),
  });
  return state === undefined ? null : <Switch state={state} />;
}

function Switch({ state }: { state: FixtureState }) {
  const desktop = useDesktopInfo();
  const choice = toModeChoice(state, desktop);
  const { isBusy, switchTo, record, stop } = useSwitchMode(state);
  return (
    <div className="flex items-center gap-1">
      {/* In a narrow window the red mark says enough. */}
      <span className={state.recording === null ? undefined : 'hidden lg:inline'}>
        <ModeMenu
          choice={choice}
          onChoose={switchTo}
          trigger={
            <Button look="quiet" aria-label={`Mode: ${choice.now.label}`} title={choice.now.meaning} className="px-1">
              <Badge tone={choice.now.tone}>{choice.now.label}</Badge>
              <ChevronDown size={13} aria-hidden />
            </Button>
          }
        />
      </span>
      {state.recording !== null ? (
        <Button
          look="danger"
          isBusy={isBusy}
          onClick={stop}
          aria-label={`Stop recording, ${formatCount(state.recording.cases)} so far`}
          title="Calls are recorded. A click ends that, and shows what was recorded"
          icon={<Square size={12} aria-hidden className="fill-current" />}
        >
          <span className="hidden md:inline">Recording</span>
          <span className="figures">{formatCount(state.recording.cases)}</span>
        </Button>
      ) : (
        choice.canRecord && (
          <Button
            look="quiet"
            isBusy={isBusy}
            onClick={record}
            aria-label="Record now"
            title="Record now: what providers answer from now on becomes fixtures, prompts included"
            icon={<CircleDot size={15} aria-hidden />}
            className="px-1.5"
          >
            <span className="hidden xl:inline">Record now</span>
          </Button>
        )
      )}
    </div>
  );
}
