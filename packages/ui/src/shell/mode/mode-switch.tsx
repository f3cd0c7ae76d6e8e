import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, CircleDot, Square } from 'lucide-react';
import { lazy } from 'react';

import { useDesktopInfo } from '../../app/desktop.ts';
import { fixtureStateQuery } from '../../features/fixtures/fixture-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { LateMenu } from '../../parts/controls/menu.tsx';
import { shellMessages } from '../messages.ts';
import { toModeChoice, useSwitchMode } from './mode-choice.ts';

export const loadModeMenu = () => import('./mode-menu.tsx');
const ModeMenu = lazy(async () => ({ default: (await loadModeMenu()).ModeMenu }));

const RECORDING_REFRESH_MS = 2000;
/** It may have been switched by another way than a page of this browser. */
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
  const t = shellMessages().mode;
  const trigger = (
    <Button look="quiet" aria-label={t.label(choice.now.label)} title={choice.now.meaning} className="px-1">
      <Badge tone={choice.now.tone}>{choice.now.label}</Badge>
      <ChevronDown size={13} />
    </Button>
  );
  return (
    <div className="flex items-center gap-1">
      {/* In a narrow window the red mark says enough. */}
      <span className={state.recording === null ? undefined : 'hidden lg:inline'}>
        <LateMenu trigger={trigger} load={loadModeMenu}>
          <ModeMenu choice={choice} onChoose={switchTo} trigger={trigger} />
        </LateMenu>
      </span>
      {state.recording !== null ? (
        <Button
          look="danger"
          isBusy={isBusy}
          onClick={stop}
          aria-label={t.stopRecording(formatCount(state.recording.cases))}
          title={t.recordingHint}
          icon={<Square size={12} className="fill-current" />}
        >
          <span className="hidden md:inline">{t.stop}</span>{' '}
          <span className="figures">{formatCount(state.recording.cases)}</span>
        </Button>
      ) : (
        choice.canRecord && (
          <Button
            look="quiet"
            isBusy={isBusy}
            onClick={record}
            aria-label={t.recordNow}
            title={t.recordNowHint}
            icon={<CircleDot size={15} />}
            className="px-1.5"
          >
            <span className="hidden xl:inline">{t.recordNow}</span>
          </Button>
        )
      )}
    </div>
  );
}
