import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Archive, Check, ChevronDown, CircleDot, Square } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

import { useDesktopInfo } from '../../app/desktop.ts';
import { fixtureStateQuery } from '../../features/fixtures/fixture-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { MenuPortal } from '../../parts/controls/menu.tsx';
import { shellMessages } from '../messages.ts';
import { type ModeChoice, toModeChoice, useSwitchMode } from './mode-choice.ts';

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
  return (
    <div className="flex items-center gap-1">
      {/* In a narrow window the red mark says enough. */}
      <span className={state.recording === null ? undefined : 'hidden lg:inline'}>
        <ModeMenu
          choice={choice}
          onChoose={switchTo}
          trigger={
            <Button look="quiet" aria-label={t.label(choice.now.label)} title={choice.now.meaning} className="px-1">
              <Badge tone={choice.now.tone}>{choice.now.label}</Badge>
              <ChevronDown size={13} />
            </Button>
          }
        />
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
          <span className="hidden md:inline">{t.recording}</span>
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

interface ModeMenuProps {
  readonly choice: ModeChoice;
  readonly trigger: ReactNode;
  readonly onChoose: (mode: FixtureMode) => void;
}

const ITEM = 'flex cursor-pointer gap-2 rounded-md px-2.5 py-1.5 outline-none data-[highlighted]:bg-raised';

/** The modes with what each means, the one in force marked; or why there is nothing to choose. */
function ModeMenu({ choice: { now, value, options, note }, trigger, onChoose }: ModeMenuProps) {
  const navigate = useNavigate();
  const choose = (next: string): void => {
    const chosen = options.find((option) => option.value === next);
    if (chosen !== undefined && next !== value) onChoose(chosen.target);
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <MenuPortal>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className="card scroll-thin z-40 max-h-[var(--radix-dropdown-menu-content-available-height)] w-88 max-w-[calc(100vw-1rem)] overflow-y-auto p-1 text-sm shadow-xl"
        >
          {value === undefined ? (
            <DropdownMenu.Label className="px-2.5 py-1.5">
              <span className="block font-medium">{now.label}</span>
              <span className="block text-xs text-ink-soft">{now.meaning}</span>
            </DropdownMenu.Label>
          ) : (
            <DropdownMenu.RadioGroup value={value} onValueChange={choose}>
              {options.map(({ value: name, label, meaning }) => (
                <DropdownMenu.RadioItem key={name} value={name} className={ITEM}>
                  <span className="w-4 shrink-0 pt-0.5">
                    <DropdownMenu.ItemIndicator>
                      <Check size={15} className="text-accent" />
                    </DropdownMenu.ItemIndicator>
                  </span>
                  <span className="min-w-0">
                    <span className="block font-medium">{label}</span>
                    <span className="block text-xs text-ink-soft">{meaning}</span>
                  </span>
                </DropdownMenu.RadioItem>
              ))}
            </DropdownMenu.RadioGroup>
          )}
          {note !== null && (
            <DropdownMenu.Label className="px-2.5 py-1.5 text-xs wrap-anywhere text-ink-soft">
              {note}
            </DropdownMenu.Label>
          )}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item onSelect={() => void navigate({ to: '/fixtures' })} className={ITEM}>
            <Archive size={15} className="mt-0.5 shrink-0" />
            {shellMessages().mode.openFixtures}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </MenuPortal>
    </DropdownMenu.Root>
  );
}
