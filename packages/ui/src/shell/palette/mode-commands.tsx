import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { CircleDot, Square } from 'lucide-react';

import { useDesktopInfo } from '../../app/desktop.ts';
import { fixtureStateQuery, MODES } from '../../features/fixtures/fixture-queries.ts';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { shellMessages } from '../messages.ts';
import { type ModeOption, toModeChoice, useSwitchMode } from '../mode/mode-choice.ts';
import { Item } from './item.tsx';

/** A command that affects the requests of all users. */
export type ModeCommand = 'record' | 'stop' | ModeOption;

/** Marks the values of these commands, for the order of what is found. */
export const MODE_VALUE = 'mode: ';

interface ModeCommandsProps {
  /** Called instead of doing it: a `ModeQuestion` must follow. */
  readonly onChoose: (command: ModeCommand) => void;
}

/** Recording and the modes among the commands; nothing where they cannot be switched. */
export function ModeCommands(props: ModeCommandsProps) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Commands state={state} {...props} />;
}

function Commands({ state, onChoose }: ModeCommandsProps & { state: FixtureState }) {
  const { options, value, canRecord } = toModeChoice(state, useDesktopInfo());
  const t = shellMessages().mode;
  return (
    <>
      {canRecord && (
        <Item id={`${MODE_VALUE}record`} names={[t.recordNow]} icon={CircleDot} onSelect={() => onChoose('record')} />
      )}
      {state.recording !== null && (
        <Item id={`${MODE_VALUE}stop`} names={[t.stop]} icon={Square} onSelect={() => onChoose('stop')} />
      )}
      {options
        .filter((option) => option.value !== value)
        .map((option) => (
          <Item
            key={option.value}
            id={MODE_VALUE + option.value}
            names={[t.label(option.label)]}
            onSelect={() => onChoose(option)}
          />
        ))}
    </>
  );
}

interface ModeQuestionProps {
  readonly command: ModeCommand;
  readonly onClose: () => void;
}

/** Asks before a command from the palette, where a word that was not finished chooses, too. */
export function ModeQuestion(props: ModeQuestionProps) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Question state={state} {...props} />;
}

function Question({ state, command, onClose }: ModeQuestionProps & { state: FixtureState }) {
  const { switchTo, record, stop } = useSwitchMode(state);
  const { note } = toModeChoice(state, useDesktopInfo());
  const t = shellMessages().mode;
  const { title, action, meaning, run } =
    command === 'record'
      ? { title: t.askRecord, action: t.record, meaning: MODES['record-all'].meaning, run: record }
      : command === 'stop'
        ? { title: t.askStop, action: t.stop, meaning: t.stopMeaning, run: stop }
        : {
            title: t.askSwitch(command.label),
            action: t.switchTo(command.label),
            meaning: command.meaning,
            run: () => switchTo(command.target),
          };
  return (
    <ConfirmDialog title={title} action={action} onConfirm={async () => run()} onClose={onClose}>
      <p>{meaning}</p>
      <p>{t.forAll}</p>
      {command !== 'stop' && note !== null && <p className="text-xs wrap-anywhere text-ink-soft">{note}</p>}
    </ConfirmDialog>
  );
}
