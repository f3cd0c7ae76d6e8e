import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import { Bookmark, Cable, CircleDot, KeyRound, Plug, Square, User } from 'lucide-react';
import { useRef, useState } from 'react';

import { allKeysQuery, membersQuery, modelsQuery, providersQuery } from '../api/queries.ts';
import { SNIPPETS } from '../app/base-url.ts';
import { useDesktopInfo } from '../app/desktop.ts';
import { setPreferences, usePreferences } from '../app/preferences.ts';
import { fixtureStateQuery, MODES } from '../features/fixtures/fixture-queries.ts';
import { useOpenView } from '../features/generations/search/use-open-view.ts';
import { toMemberName } from '../features/members/member-link.tsx';
import { toModelParams } from '../features/models/model-facts.ts';
import { copyText } from '../parts/controls/copy-button.tsx';
import { ConfirmDialog } from '../parts/dialogs/dialog.tsx';
import { useModal } from '../parts/dialogs/use-modal.ts';
import { type ModeOption, toModeChoice, useSwitchMode } from './mode/mode-choice.ts';
import { RAIL_ITEMS } from './rail.tsx';

/** Items of a kind: each is in the document. */
const MAX_THINGS = 300;
const ITEM =
  'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-3 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent';

/** Words lead somewhere, copy something, or lead to a question about the mode. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [asked, setAsked] = useState<ModeCommand>();
  return asked === undefined ? (
    <Palette onClose={onClose} onMode={setAsked} />
  ) : (
    <ModeQuestion command={asked} onClose={onClose} />
  );
}

/** Below all else that fits: what was typed may be the beginning of another word. */
const LAST = 0.001;

/**
 * How well a command fits what was typed. One that changes the mode has to have the words as they begin, where others
 * may have the letters anywhere, and comes last. Names alone are looked through, where a thing has an id beside them.
 */
function toScore(value: string, typed: string, names: readonly string[] = []): number {
  if (value.startsWith(MODE_VALUE)) {
    const words = value.toLowerCase().split(/[\s:]+/);
    const isBegun = (part: string): boolean => words.some((word) => word.startsWith(part));
    return typed
      .toLowerCase()
      .split(/[\s:]+/)
      .every(isBegun)
      ? LAST
      : 0;
  }
  return defaultFilter?.(names.length > 0 ? names.join(' ') : value, typed) ?? 1;
}

interface PaletteProps {
  readonly onClose: () => void;
  readonly onMode: (command: ModeCommand) => void;
}

function Palette({ onClose, onMode }: PaletteProps) {
  const navigate = useNavigate();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  useModal(dialog);
  const run: Run = (action) => () => {
    onClose();
    action();
  };
  const id = text.trim();
  return (
    <dialog
      ref={dialog}
      aria-label="Search and commands"
      className="mx-auto mt-[12vh] w-[calc(100%-2rem)] max-w-xl rounded-xl border border-line bg-surface p-0 shadow-2xl"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <Command label="Search and commands" filter={toScore} className="flex max-h-[60vh] flex-col">
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="Search screens, models, keys, generation ids, actions…"
          className="w-full border-b border-line bg-transparent px-4 py-3 text-sm outline-none"
        />
        <Command.List className="scroll-thin overflow-y-auto p-1.5">
          <Command.Empty className="px-3 py-6 text-center text-sm text-ink-faint">No results.</Command.Empty>
          {id.startsWith('gen-') && (
            <Command.Item
              value={id}
              className={ITEM}
              onSelect={run(() => navigate({ to: '/generations/$id', params: { id } }))}
            >
              Open generation <code className="truncate font-mono text-xs">{id}</code>
            </Command.Item>
          )}
          <ScreenCommands run={run} />
          <ActionCommands run={run} />
          <KeyCommands run={run} />
          <MemberCommands run={run} />
          <ProviderCommands run={run} />
          <ModelCommands run={run} />
          <Group heading="Mode">
            <ModeCommands className={ITEM} onChoose={onMode} />
          </Group>
        </Command.List>
      </Command>
    </dialog>
  );
}

/** Makes what a command does when it is chosen: the palette closes before. */
type Run = (action: () => unknown) => () => void;

/** Screens, and saved views of the generations. */
function ScreenCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { views } = usePreferences();
  const openView = useOpenView();
  return (
    <>
      <Group heading="Go to">
        {RAIL_ITEMS.map(({ path, label, icon: Icon }) => (
          <Command.Item key={path} value={`go ${label}`} className={ITEM} onSelect={run(() => navigate({ to: path }))}>
            <Icon size={15} /> {label}
          </Command.Item>
        ))}
        <Command.Item
          value="connect a tool"
          className={ITEM}
          onSelect={run(() => navigate({ to: '/connect', search: {} }))}
        >
          <Cable size={15} /> Connect a tool
        </Command.Item>
      </Group>
      {views.length > 0 && (
        <Group heading="Saved views">
          {views.map((view) => (
            <Command.Item
              key={view.name}
              value={`view ${view.name}`}
              className={ITEM}
              onSelect={run(() => openView(view))}
            >
              <Bookmark size={15} /> {view.name}
            </Command.Item>
          ))}
        </Group>
      )}
    </>
  );
}

/** What changes this page, or copies something. */
function ActionCommands({ run }: { run: Run }) {
  const { data: models = [] } = useQuery(modelsQuery);
  return (
    <>
      <Group heading="Theme">
        {(['dark', 'light', 'system'] as const).map((theme) => (
          <Command.Item
            key={theme}
            value={`theme ${theme}`}
            className={ITEM}
            onSelect={run(() => setPreferences({ theme }))}
          >
            Theme: {theme}
          </Command.Item>
        ))}
      </Group>
      <Group heading="Copy">
        {SNIPPETS.map(({ label, toText }) => (
          <Command.Item
            key={label}
            value={`copy ${label}`}
            className={ITEM}
            onSelect={run(() => copyText(toText(models[0]?.id ?? 'demo/chat'), `Copied: ${label}`))}
          >
            Copy {label}
          </Command.Item>
        ))}
      </Group>
    </>
  );
}

function KeyCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data: keys = [] } = useQuery(allKeysQuery);
  if (keys.length === 0) return null;
  return (
    <Group heading="Keys">
      {keys.slice(0, MAX_THINGS).map(({ hash, name, label }) => (
        <Command.Item
          key={hash}
          value={`key ${hash}`}
          keywords={['key', name]}
          className={ITEM}
          onSelect={run(() => navigate({ to: '/keys/$hash', params: { hash } }))}
        >
          <KeyRound size={15} /> {name}{' '}
          {label !== name && <code className="truncate font-mono text-xs text-ink-faint">{label}</code>}
        </Command.Item>
      ))}
    </Group>
  );
}

function MemberCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data: members = [] } = useQuery(membersQuery);
  if (members.length === 0) return null;
  return (
    <Group heading="Members">
      {members.slice(0, MAX_THINGS).map((member) => (
        <Command.Item
          key={member.id}
          value={`member ${member.id}`}
          keywords={['member', toMemberName(member), member.email]}
          className={ITEM}
          onSelect={run(() => navigate({ to: '/members/$id', params: { id: member.id } }))}
        >
          <User size={15} /> {toMemberName(member)}{' '}
          <span className="truncate text-xs text-ink-faint">{member.email}</span>
        </Command.Item>
      ))}
    </Group>
  );
}

function ProviderCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data: providers = [] } = useQuery(providersQuery);
  if (providers.length === 0) return null;
  return (
    <Group heading="Providers">
      {providers.slice(0, MAX_THINGS).map(({ slug, name }) => (
        <Command.Item
          key={slug}
          value={`provider ${name} ${slug}`}
          className={ITEM}
          onSelect={run(() => navigate({ to: '/providers/$slug', params: { slug } }))}
        >
          <Plug size={15} /> {name} <code className="truncate font-mono text-xs text-ink-faint">{slug}</code>
        </Command.Item>
      ))}
    </Group>
  );
}

function ModelCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data: models = [] } = useQuery(modelsQuery);
  return (
    <Group heading="Models">
      {models.slice(0, MAX_THINGS).map((model) => (
        <Command.Item
          key={model.id}
          value={`${model.id} ${model.name}`}
          className={ITEM}
          onSelect={run(() => navigate({ to: '/models/$author/$', params: toModelParams(model.id) }))}
        >
          {model.name} <code className="truncate font-mono text-xs text-ink-faint">{model.id}</code>
        </Command.Item>
      ))}
    </Group>
  );
}

function Group({ heading, children }: { heading: string; children: React.ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-faint"
    >
      {children}
    </Command.Group>
  );
}

/** A command that changes what becomes of everybody's calls. */
type ModeCommand = 'record' | 'stop' | ModeOption;

/** Marks the values of these commands, for the order of what is found. */
const MODE_VALUE = 'mode: ';

interface ModeCommandsProps {
  readonly className: string;
  /** Called instead of doing it: a `ModeQuestion` must follow. */
  readonly onChoose: (command: ModeCommand) => void;
}

/** Recording and the modes among the commands; nothing where they cannot be switched. */
function ModeCommands(props: ModeCommandsProps) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Commands state={state} {...props} />;
}

function Commands({ state, className, onChoose }: ModeCommandsProps & { state: FixtureState }) {
  const { options, value, canRecord } = toModeChoice(state, useDesktopInfo());
  return (
    <>
      {canRecord && (
        <Command.Item value={`${MODE_VALUE}record now`} className={className} onSelect={() => onChoose('record')}>
          <CircleDot size={15} /> Record now
        </Command.Item>
      )}
      {state.recording !== null && (
        <Command.Item value={`${MODE_VALUE}stop recording`} className={className} onSelect={() => onChoose('stop')}>
          <Square size={15} /> Stop recording
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
function ModeQuestion({ command, onClose }: { command: ModeCommand; onClose: () => void }) {
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
            meaning: 'The previous mode is restored. See the recordings under Fixtures.',
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
      <p>This affects everyone who uses this gateway.</p>
      {command !== 'stop' && note !== null && <p className="text-xs wrap-anywhere text-ink-soft">{note}</p>}
    </ConfirmDialog>
  );
}
