import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { CircleDot, Square } from 'lucide-react';

import { fixtureStateQuery } from '../../screens/fixtures/fixture-queries.ts';
import { useDesktopInfo } from '../desktop.ts';
import { toModeChoice } from './to-mode-choice.ts';
import { useSwitchMode } from './use-switch-mode.ts';

interface ModeCommandsProps {
  readonly className: string;
  /** Wraps what a command does. */
  readonly run: (action: () => void) => () => void;
}

/** Recording and the modes among the commands; nothing where they cannot be switched. */
export function ModeCommands(props: ModeCommandsProps) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Commands state={state} {...props} />;
}

function Commands({ state, className, run }: ModeCommandsProps & { state: FixtureState }) {
  const { options, value, canRecord } = toModeChoice(state, useDesktopInfo());
  const { switchTo, record, stop } = useSwitchMode(state);
  return (
    <>
      {canRecord && (
        <Command.Item value="record now" className={className} onSelect={run(record)}>
          <CircleDot size={15} aria-hidden /> Record now
        </Command.Item>
      )}
      {state.recording !== null && (
        <Command.Item value="stop recording" className={className} onSelect={run(stop)}>
          <Square size={15} aria-hidden /> Stop recording
        </Command.Item>
      )}
      {options
        .filter((option) => option.value !== value)
        .map(({ value: name, label, target }) => (
          <Command.Item
            key={name}
            value={`mode: ${label}`}
            className={className}
            onSelect={run(() => switchTo(target))}
          >
            Mode: {label}
          </Command.Item>
        ))}
    </>
  );
}
