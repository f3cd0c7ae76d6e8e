import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { CircleDot, Square } from 'lucide-react';

import { useDesktopInfo } from '../../app/desktop.ts';
import { fixtureStateQuery } from '../../features/fixtures/fixture-queries.ts';
import { MODES } from '../../features/fixtures/mode-words.ts';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { type ModeOption, toModeChoice } from './to-mode-choice.ts';
import { useSwitchMode } from './use-switch-mode.ts';

/** A command that changes what becomes of everybody's calls. */
export type ModeCommand = 'record' | 'stop' | ModeOption;

/** Marks the values of these commands, for the order of what is found. */
export const MODE_VALUE = 'mode: ';

interface ModeCommandsProps {
  readonly className: string;
  /** Called instead of doing it: a `ModeQuestion` must follow. */
  readonly onChoose: (command: ModeCommand) => void;
}

/** Recording and the modes among the commands; nothing where they cannot be switched. */
export function ModeCommands(props: ModeCommandsProps) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Commands state={state} {...props} />;
}

function Commands({ state, className, onChoose }: ModeCommandsProps & { state: FixtureState }) {
  const { options, value, canRecord } = toModeChoice(state, useDesktopInfo());
  return (
    <>
      {canRecord && (
        <Command.Item value={`${MODE_VALUE}record now`} className={className} onSelect={() => onChoose('record')}>
          <CircleDot size={15} aria-hidden /> Record now
        </Command.Item>
      )}
      {state.recording !== null && (
        <Command.Item value={`${MODE_VALUE}stop recording`} className={className} onSelect={() => onChoose('stop')}>
          <Square size={15} aria-hidden /> Stop recording
        </Command.Item>
      )}
      {options
        .filter((option) => option.value !== value)
        .map((option) => (
          <Command.Item
            key={option.value}
            value={MODE_VALUE + option.label}
            className={className}
            onSelect={() => onChoose(option)}
          >
            Mode: {option.label}
          </Command.Item>
        ))}
    </>
  );
}

/** Asks before a command from the palette, where a word that was not finished chooses, too. */
export function ModeQuestion({ command, onClose }: { command: ModeCommand; onClose: () => void }) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Question state={state} command={command} onClose={onClose} />;
}

interface QuestionProps {
  readonly state: FixtureState;
  readonly command: ModeCommand;
  readonly onClose: () => void;
}

function Question({ state, command, onClose }: QuestionProps) {
  const { switchTo, record, stop } = useSwitchMode(state);
  const { note } = toModeChoice(state, useDesktopInfo());
  const { title, action, meaning, run } =
    command === 'record'
      ? { title: 'Record all calls?', action: 'Record', meaning: MODES['record-all'].meaning, run: record }
      : command === 'stop'
        ? {
            title: 'Stop recording?',
            action: 'Stop recording',
            meaning: 'The mode before it comes back, and Fixtures shows what was recorded.',
            run: stop,
          }
        : {
            title: `Switch the gateway to ${command.label}?`,
            action: `Switch to ${command.label}`,
            meaning: command.meaning,
            run: () => switchTo(command.target),
          };
  return (
    <ConfirmDialog title={title} action={action} onConfirm={async () => run()} onClose={onClose}>
      <p>{meaning}</p>
      <p>This changes the calls of everyone who uses this gateway.</p>
      {command !== 'stop' && note !== null && <p className="text-xs wrap-anywhere text-ink-soft">{note}</p>}
    </ConfirmDialog>
  );
}
