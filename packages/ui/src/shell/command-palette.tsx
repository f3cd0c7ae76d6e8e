import type { FixtureState } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import { Bookmark, Cable, CircleDot, KeyRound, type LucideIcon, Plug, Square, User } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';

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
 * may have the letters anywhere, and comes last. Names alone are looked through, where an item has an id beside them.
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
            <Item value={id} onSelect={run(() => navigate({ to: '/generations/$id', params: { id } }))}>
              Open generation <code className="truncate font-mono text-xs">{id}</code>
            </Item>
          )}
          <ScreenCommands run={run} />
          <ActionCommands run={run} />
          <ThingCommands run={run} />
          <Group heading="Mode">
            <ModeCommands onChoose={onMode} />
          </Group>
        </Command.List>
      </Command>
    </dialog>
  );
}

/** Makes what a command does when it is chosen: the palette closes before. */
type Run = (action: () => unknown) => () => void;

interface ItemProps {
  readonly value: string;
  readonly keywords?: string[];
  readonly icon?: LucideIcon;
  /** Beside the text: the id of a thing. */
  readonly code?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

function Item({ icon: Icon, code, children, ...command }: ItemProps) {
  return (
    <Command.Item
      {...command}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-3 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent"
    >
      {Icon !== undefined && <Icon size={15} />} {children}{' '}
      {code !== undefined && <code className="truncate font-mono text-xs text-ink-faint">{code}</code>}
    </Command.Item>
  );
}

/** Screens, and saved views of the generations. */
function ScreenCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { views } = usePreferences();
  const openView = useOpenView();
  return (
    <>
      <Group heading="Go to">
        {RAIL_ITEMS.map(({ path, label, icon }) => (
          <Item key={path} value={`go ${label}`} icon={icon} onSelect={run(() => navigate({ to: path }))}>
            {label}
          </Item>
        ))}
        <Item value="connect a tool" icon={Cable} onSelect={run(() => navigate({ to: '/connect', search: {} }))}>
          Connect a tool
        </Item>
      </Group>
      {views.length > 0 && (
        <Group heading="Saved views">
          {views.map((view) => (
            <Item key={view.name} value={`view ${view.name}`} icon={Bookmark} onSelect={run(() => openView(view))}>
              {view.name}
            </Item>
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
          <Item key={theme} value={`theme ${theme}`} onSelect={run(() => setPreferences({ theme }))}>
            Theme: {theme}
          </Item>
        ))}
      </Group>
      <Group heading="Copy">
        {SNIPPETS.map(({ label, toText }) => (
          <Item
            key={label}
            value={`copy ${label}`}
            onSelect={run(() => copyText(toText(models[0]?.id ?? 'demo/chat'), `Copied: ${label}`))}
          >
            Copy {label}
          </Item>
        ))}
      </Group>
    </>
  );
}

/** Things that have a page of their own. */
function ThingCommands({ run }: { run: Run }) {
  const navigate = useNavigate();
  const { data: keys = [] } = useQuery(allKeysQuery);
  const { data: members = [] } = useQuery(membersQuery);
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: models = [] } = useQuery(modelsQuery);
  return (
    <>
      <Things heading="Keys" things={keys}>
        {({ hash, name, label }) => (
          <Item
            key={hash}
            value={`key ${hash}`}
            keywords={['key', name]}
            icon={KeyRound}
            {...(label !== name && { code: label })}
            onSelect={run(() => navigate({ to: '/keys/$hash', params: { hash } }))}
          >
            {name}
          </Item>
        )}
      </Things>
      <Things heading="Members" things={members}>
        {(member) => (
          <Item
            key={member.id}
            value={`member ${member.id}`}
            keywords={['member', toMemberName(member), member.email]}
            icon={User}
            onSelect={run(() => navigate({ to: '/members/$id', params: { id: member.id } }))}
          >
            {toMemberName(member)} <span className="truncate text-xs text-ink-faint">{member.email}</span>
          </Item>
        )}
      </Things>
      <Things heading="Providers" things={providers}>
        {({ slug, name }) => (
          <Item
            key={slug}
            value={`provider ${name} ${slug}`}
            icon={Plug}
            code={slug}
            onSelect={run(() => navigate({ to: '/providers/$slug', params: { slug } }))}
          >
            {name}
          </Item>
        )}
      </Things>
      <Things heading="Models" things={models}>
        {({ id, name }) => (
          <Item
            key={id}
            value={`${id} ${name}`}
            code={id}
            onSelect={run(() => navigate({ to: '/models/$author/$', params: toModelParams(id) }))}
          >
            {name}
          </Item>
        )}
      </Things>
    </>
  );
}

interface ThingsProps<Thing> {
  readonly heading: string;
  readonly things: readonly Thing[];
  readonly children: (thing: Thing) => ReactNode;
}

function Things<Thing>({ heading, things, children }: ThingsProps<Thing>) {
  return things.length === 0 ? null : <Group heading={heading}>{things.slice(0, MAX_THINGS).map(children)}</Group>;
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-faint"
    >
      {children}
    </Command.Group>
  );
}

/** A command that affects the calls of all users. */
type ModeCommand = 'record' | 'stop' | ModeOption;

/** Marks the values of these commands, for the order of what is found. */
const MODE_VALUE = 'mode: ';

interface ModeCommandsProps {
  /** Called instead of doing it: a `ModeQuestion` must follow. */
  readonly onChoose: (command: ModeCommand) => void;
}

/** Recording and the modes among the commands; nothing where they cannot be switched. */
function ModeCommands(props: ModeCommandsProps) {
  const { data: state } = useQuery(fixtureStateQuery);
  return state === undefined ? null : <Commands state={state} {...props} />;
}

function Commands({ state, onChoose }: ModeCommandsProps & { state: FixtureState }) {
  const { options, value, canRecord } = toModeChoice(state, useDesktopInfo());
  return (
    <>
      {canRecord && (
        <Item value={`${MODE_VALUE}record now`} icon={CircleDot} onSelect={() => onChoose('record')}>
          Record now
        </Item>
      )}
      {state.recording !== null && (
        <Item value={`${MODE_VALUE}stop recording`} icon={Square} onSelect={() => onChoose('stop')}>
          Stop recording
        </Item>
      )}
      {options
        .filter((option) => option.value !== value)
        .map((option) => (
          <Item key={option.value} value={MODE_VALUE + option.label} onSelect={() => onChoose(option)}>
            Mode: {option.label}
          </Item>
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
