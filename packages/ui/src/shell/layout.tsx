import { Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';

import { useSession } from '../api/session.ts';
import { setPreferences, usePreferences } from '../app/preferences.ts';
import { listenForShortcuts, useShortcut, useShortcuts } from '../app/shortcuts.ts';
import { PortBanner } from '../features/port-banner.tsx';
import { SampleDataBanner } from '../features/sample-data.tsx';
import { Checkbox } from '../parts/controls/field.tsx';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { Toasts } from '../parts/messages/toasts.tsx';
import { loadMarkdown } from '../parts/text/formatted-text.tsx';
import { OTHER_SCREENS, Rail, RAIL_ITEMS } from './rail.tsx';
import { SignIn } from './sign-in.tsx';
import { TopBar } from './top-bar.tsx';

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }));

const PRELOAD_AFTER_MS = 1500;

/** Frame of every screen: rail, top bar, messages; or the sign-in page, while no user is signed in. */
export function Layout() {
  const session = useSession();
  useEffect(() => listenForShortcuts(), []);
  return (
    <>
      {session.type === 'none' ? <SignIn linkError={session.linkError} /> : <Frame />}
      <Toasts />
    </>
  );
}

function Frame() {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const close = (): void => setOpen(null);
  useShortcut({ keys: 'mod+k', label: 'Search and commands', group: 'Everywhere' }, () => setOpen('palette'));
  useShortcut({ keys: '?', label: 'Keyboard shortcuts', group: 'Everywhere' }, () => setOpen('help'));
  usePreloadedScreens();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const item = RAIL_ITEMS.findLast((candidate) => path.startsWith(candidate.path));
    const other = Object.entries(OTHER_SCREENS).find(([start]) => path.startsWith(start))?.[1];
    document.title = `${other ?? item?.label ?? 'Not found'} · Model Gateway`;
  }, [path]);
  return (
    <div className="flex h-full">
      <a
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('main')?.focus();
        }}
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-accent focus:px-3 focus:py-2 focus:text-accent-ink"
      >
        Skip to content
      </a>
      {RAIL_ITEMS.map((item) => (
        <RailItemShortcuts key={item.path} {...item} />
      ))}
      <Rail />
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar onSearch={() => setOpen('palette')} />
        <PortBanner />
        <main id="main" tabIndex={-1} className="scroll-thin flex min-h-0 flex-1 flex-col overflow-y-auto outline-none">
          <Outlet />
        </main>
        {/* Below, where it moves nothing when it comes. */}
        <SampleDataBanner />
      </div>
      {open === 'help' && <ShortcutHelp onClose={close} />}
      {open === 'palette' && (
        <Suspense>
          <CommandPalette onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

/** Loads the other screens after the first: they are there at once, and still there when the gateway is not. */
function usePreloadedScreens(): void {
  const router = useRouter();
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { path } of RAIL_ITEMS) void router.preloadRoute({ to: path });
      void router.preloadRoute({ to: '/connect' });
      void loadMarkdown();
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [router]);
}

function RailItemShortcuts({ path, label, letter, digit }: (typeof RAIL_ITEMS)[number]) {
  const navigate = useNavigate();
  const go = (): void => void navigate({ to: path });
  useShortcut({ keys: `g ${letter}`, label: `Go to ${label}`, group: 'Go to' }, go);
  useShortcut({ keys: `mod+${digit}`, label: `Go to ${label}`, group: 'Go to' }, go, digit !== undefined);
  return null;
}

function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const shortcuts = useShortcuts();
  const { singleKeys } = usePreferences();
  const names = [...new Set(shortcuts.map(({ group }) => group))].toSorted((a, b) => a.localeCompare(b));
  const groups = names.map((name) => ({
    name,
    entries: toEntries(shortcuts.filter(({ group }) => group === name).toReversed()),
  }));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} width="wide">
      <div className="gap-x-8 sm:columns-2">
        {[...groups, { name: 'In tables', entries: TABLE_KEYS }].map(({ name, entries }) => (
          <section key={name} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm font-semibold">{name}</h3>
            <dl className="text-sm">
              {entries.map(({ keys, label }) => (
                <div key={label} className="flex items-center justify-between gap-4 border-b border-line py-1">
                  <dt>{label}</dt>
                  <dd className="flex items-center gap-2">
                    {keys.map((one) => (
                      <Keys key={one} keys={one} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Checkbox
        className="mt-5"
        checked={singleKeys}
        onChange={(event) => setPreferences({ singleKeys: event.target.checked })}
        label="Shortcuts without Ctrl or Cmd"
        hint="Turn these off if your input method sends unintended letters, e.g. speech input."
      />
    </Dialog>
  );
}

/** An action with all the keys that start it, in the order they were registered. */
function toEntries(shortcuts: readonly { readonly keys: string; readonly label: string }[]) {
  const byLabel = new Map<string, string[]>();
  for (const { keys, label } of shortcuts) byLabel.set(label, [...(byLabel.get(label) ?? []), keys]);
  return [...byLabel].map(([label, keys]) => ({ label, keys }));
}

const TABLE_KEYS = [
  { keys: ['j'], label: 'Next row' },
  { keys: ['k'], label: 'Previous row' },
  { keys: ['Enter'], label: 'Open the row' },
  { keys: ['Home'], label: 'First row' },
  { keys: ['End'], label: 'Last row' },
];

function Keys({ keys }: { keys: string }) {
  const isMac = navigator.platform.startsWith('Mac');
  const shown = keys
    .replace('mod', isMac ? '⌘' : 'Ctrl')
    .replaceAll('+', ' ')
    .split(' ');
  return (
    <span className="flex gap-1">
      {shown.map((key) => (
        <kbd key={key} className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-xs">
          {key}
        </kbd>
      ))}
    </span>
  );
}
