import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useRef, useState } from 'react';

import { useClickBeside, useModal } from '../../parts/dialogs/use-modal.ts';
import { ActionCommands } from './action-commands.tsx';
import { Group, Item, type Run } from './item.tsx';
import { paletteMessages } from './messages.ts';
import { MODE_VALUE, type ModeCommand, ModeCommands, ModeQuestion } from './mode-commands.tsx';
import { RecentCommands, ScreenCommands, ThingCommands, useThings, ViewCommands } from './place-commands.tsx';
import { toScore } from './to-score.ts';

interface PaletteProps {
  readonly onClose: () => void;
  /** Shows the shortcuts in place of the palette. */
  readonly onHelp: () => void;
}

/** Words lead somewhere, do or copy something, or lead to a question about the mode. */
export function CommandPalette({ onClose, onHelp }: PaletteProps) {
  const [asked, setAsked] = useState<ModeCommand>();
  return asked === undefined ? (
    <Palette onClose={onClose} onHelp={onHelp} onMode={setAsked} />
  ) : (
    <ModeQuestion command={asked} onClose={onClose} />
  );
}

/** The names of a command are its keywords; its value only tells it from others. */
const score = (value: string, typed: string, names: readonly string[] = []): number =>
  toScore([names[0] ?? value, ...names.slice(1)], typed, value.startsWith(MODE_VALUE));

function Palette({ onClose, onHelp, onMode }: PaletteProps & { readonly onMode: (command: ModeCommand) => void }) {
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const t = paletteMessages();
  useModal(dialog);
  const beside = useClickBeside(onClose);
  const run: Run = (action) => () => {
    onClose();
    action();
  };
  const id = text.trim();
  const isSearching = id !== '';
  // The library leaves commands where a search has put them: without one, the list is made anew.
  const [version, setVersion] = useState(0);
  const change = (next: string): void => {
    if (isSearching && next.trim() === '') setVersion(version + 1);
    setText(next);
  };
  useThings();
  return (
    <dialog
      ref={dialog}
      aria-label={t.title}
      className="mx-auto mt-[12vh] w-[calc(100%-2rem)] max-w-xl rounded-xl border border-line bg-surface p-0 shadow-2xl"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      {...beside}
    >
      <Command key={version} label={t.title} filter={score} className="flex max-h-[60vh] flex-col">
        <Command.Input
          value={text}
          onValueChange={change}
          autoFocus
          placeholder={t.placeholder}
          className="w-full border-b border-line bg-transparent px-4 py-3 text-sm outline-none"
        />
        <Command.List className="scroll-thin overflow-y-auto p-1.5">
          <Command.Empty className="px-3 py-6 text-center text-sm text-ink-faint">{t.noResults}</Command.Empty>
          {id.startsWith('gen-') && (
            <Item
              id={id}
              names={[t.openGeneration, id]}
              code={id}
              onSelect={run(() => navigate({ to: '/generations/$id', params: { id } }))}
            />
          )}
          {!isSearching && <RecentCommands run={run} />}
          <ActionCommands run={run} onHelp={onHelp} />
          <ScreenCommands run={run} />
          <ViewCommands run={run} />
          {isSearching && <ThingCommands run={run} />}
          <Group heading={t.mode}>
            <ModeCommands onChoose={onMode} />
          </Group>
        </Command.List>
      </Command>
    </dialog>
  );
}
