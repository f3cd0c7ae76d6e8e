import { Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';

import { toUserKey, useSession } from '../api/session.ts';
import { useRecents } from '../app/recents.ts';
import { listenForShortcuts, useShortcut } from '../app/shortcuts.ts';
import { PortBanner } from '../features/port-banner.tsx';
import { SampleDataBanner } from '../features/sample-data.tsx';
import { loadMenu } from '../parts/controls/menu.tsx';
import { useToasts } from '../parts/messages/toast-store.ts';
import { loadMarkdown } from '../parts/text/load-markdown.ts';
import { shellMessages } from './messages.ts';
import { loadModeMenu } from './mode/mode-switch.tsx';
import { findPlace, isForRole, type Place, PLACES, toScreenName } from './navigation.ts';
import { paletteMessages } from './palette/messages.ts';
import { BottomBar, Rail } from './rail.tsx';
import { TopBar } from './top-bar.tsx';

const loadPalette = () => import('./palette/command-palette.tsx');
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }));

const loadHelp = () => import('./shortcut-help.tsx');
const ShortcutHelp = lazy(async () => ({ default: (await loadHelp()).ShortcutHelp }));

const loadToasts = () => import('../parts/messages/toasts.tsx');
const Toasts = lazy(async () => ({ default: (await loadToasts()).Toasts }));

/** Most who come are signed in already. */
const SignIn = lazy(async () => ({ default: (await import('./sign-in/sign-in.tsx')).SignIn }));

const PRELOAD_AFTER_MS = 1500;

/**
 * Frame of every screen: rail, top bar, messages; or the sign-in page, while no user is signed in. The page that asks for
 * an app stands alone: its user has come from elsewhere, and goes back there.
 */
export function Layout() {
  const session = useSession();
  const isAlone = useRouterState({ select: ({ location }) => location.pathname === '/auth' });
  useEffect(() => listenForShortcuts(), []);
  return (
    <>
      {session.type === 'none' ? (
        <Suspense>
          <SignIn session={session} />
        </Suspense>
      ) : isAlone ? (
        <Outlet key={toUserKey(session)} />
      ) : (
        // Another page may sign in another user.
        <Frame key={toUserKey(session)} />
      )}
      <LateToasts />
    </>
  );
}

/** Loads what shows messages with the first of them. */
function LateToasts() {
  const hasToasts = useToasts().length > 0;
  const [wasAsked, setWasAsked] = useState(false);
  if (hasToasts && !wasAsked) setWasAsked(true);
  return wasAsked ? (
    <Suspense>
      <Toasts />
    </Suspense>
  ) : null;
}

function Frame() {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const close = (): void => setOpen(null);
  const t = shellMessages();
  const { title: search } = paletteMessages();
  useShortcut({ keys: 'mod+k', label: search, group: t.help.everywhere }, () => setOpen('palette'));
  useShortcut({ keys: '?', label: t.help.title, group: t.help.everywhere }, () => setOpen('help'));
  usePreloadedScreens();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useRecents(path);
  useEffect(() => {
    const { notFound, screens } = shellMessages();
    const name = findPlace(path)?.name;
    document.title = `${name === undefined ? notFound : screens[name]} · Model Gateway`;
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
        {t.skip}
      </a>
      {PLACES.filter(isForRole).map((place) => (
        <PlaceShortcuts key={place.path} {...place} />
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
        <BottomBar />
      </div>
      {open === 'help' && (
        <Suspense>
          <ShortcutHelp onClose={close} />
        </Suspense>
      )}
      {open === 'palette' && (
        <Suspense>
          <CommandPalette onClose={close} onHelp={() => setOpen('help')} />
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
      for (const { path } of PLACES) void router.preloadRoute({ to: path });
      // What is typed right after its key would otherwise be taken for shortcuts of the screen.
      void loadPalette();
      void loadHelp();
      void loadMarkdown();
      void loadToasts();
      void loadMenu();
      void loadModeMenu();
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [router]);
}

function PlaceShortcuts({ path, name, letter, digit }: Place) {
  const navigate = useNavigate();
  const go = (): void => void navigate({ to: path });
  const { goTo, goToScreen } = shellMessages().help;
  const label = goToScreen(toScreenName(name));
  useShortcut({ keys: `g ${letter}`, label, group: goTo }, go);
  useShortcut({ keys: `mod+${digit}`, label, group: goTo }, go, digit !== undefined);
  return null;
}
