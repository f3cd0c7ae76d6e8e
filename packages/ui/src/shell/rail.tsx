import { Link, useRouterState } from '@tanstack/react-router';
import { LogOut, Menu as MenuIcon, PanelLeftClose, PanelLeftOpen, User } from 'lucide-react';
import { useState } from 'react';

import { useSession } from '../api/session.ts';
import { getDesktop } from '../app/desktop.ts';
import { setPreferences, usePreferences } from '../app/preferences.ts';
import { signOut } from '../app/sign-in.ts';
import { classNames } from '../parts/class-names.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { shellMessages } from './messages.ts';
import { findPlace, isForRole, MAIN_PLACES, type Place, PLACE_GROUPS, SETTINGS, toScreenName } from './navigation.ts';

/** The navigation at the left: icons alone where the window is narrow, none of it where a bar at the bottom is. */
export function Rail() {
  const { isRailCollapsed } = usePreferences();
  const t = shellMessages();
  const word = isRailCollapsed ? 'sr-only' : 'sr-only md:not-sr-only';
  const CollapseIcon = isRailCollapsed ? PanelLeftOpen : PanelLeftClose;
  const collapse = isRailCollapsed ? t.expand : t.collapse;
  return (
    <nav
      aria-label={t.navigation}
      className={classNames(
        'scroll-thin relative hidden shrink-0 flex-col overflow-y-auto border-r border-line bg-surface p-1.5 sm:flex md:p-2',
        isRailCollapsed ? 'w-12 md:w-14' : 'w-12 md:w-48',
      )}
    >
      <div className="flex h-9 shrink-0 items-center gap-2.5 px-1.5 font-semibold md:px-2">
        <Mark />
        <span className={classNames(word, 'tracking-tight whitespace-nowrap')}>Model Gateway</span>
      </div>
      {toGroups().map(({ name, places }) => (
        <div key={name} role="group" aria-labelledby={`nav-${name}`} className="flex flex-col gap-px pt-2">
          {/* The margins are those of another element: words that come back from hiding have none. */}
          <div className={classNames(!isRailCollapsed && 'md:px-2.5 md:pt-1 md:pb-0.5')}>
            <p id={`nav-${name}`} className={classNames(word, 'text-xs text-ink-faint')}>
              {t.groups[name]}
            </p>
          </div>
          {places.map((place) => (
            <RailLink key={place.path} place={place} wordClass={word} />
          ))}
        </div>
      ))}
      <div className="min-h-3 flex-1" />
      {isForRole(SETTINGS) && <RailLink place={SETTINGS} wordClass={word} />}
      <Account wordClass={word} />
      <button
        type="button"
        title={isRailCollapsed ? collapse : undefined}
        className="hidden min-h-8 items-center gap-2.5 rounded-md px-2.5 text-sm text-ink-faint hover:bg-raised hover:text-ink md:flex"
        onClick={() => setPreferences({ isRailCollapsed: !isRailCollapsed })}
      >
        <CollapseIcon size={17} className="shrink-0" />
        <span className={word}>{collapse}</span>
      </button>
    </nav>
  );
}

/** The groups with the screens that the role has a use for. */
const toGroups = () =>
  PLACE_GROUPS.map(({ name, places }): { name: typeof name; places: readonly Place[] } => ({
    name,
    places: places.filter(isForRole),
  })).filter(({ places }) => places.length > 0);

const useCurrentPlace = (): Place | undefined =>
  useRouterState({ select: ({ location }) => findPlace(location.pathname) });

interface RailLinkProps {
  readonly place: Place;
  readonly wordClass: string;
}

function RailLink({ place, wordClass }: RailLinkProps) {
  const { path, name, icon: Icon } = place;
  const isCurrent = useCurrentPlace() === place;
  return (
    <Link
      to={path}
      title={toScreenName(name)}
      // A screen below another one has an item of its own.
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={isCurrent ? 'page' : undefined}
      className="flex min-h-8 items-center gap-2.5 rounded-md px-2 text-sm text-ink-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent md:px-2.5"
    >
      <Icon size={17} className="shrink-0" />
      <span className={wordClass}>{toScreenName(name)}</span>
    </Link>
  );
}

/** Who is signed in, and the way out. The desktop app has one user, who stays. */
function Account({ wordClass }: { wordClass: string }) {
  const session = useSession();
  if (session.type === 'none' || getDesktop() !== undefined) return null;
  const t = shellMessages();
  return (
    <div className="flex min-h-8 items-center gap-1 text-sm text-ink-faint md:pl-2.5">
      <span className={classNames(wordClass, 'min-w-0 flex-1')}>
        <span
          title={
            session.type === 'cookie' && session.userId === undefined
              ? t.signedInBy(session.name)
              : t.signedInAs(session.name)
          }
          className="flex items-center gap-2.5"
        >
          <User size={17} className="shrink-0" />
          <span className="line-clamp-2 min-w-0 leading-4 wrap-anywhere">{session.name}</span>
        </span>
      </span>
      {session.type === 'cookie' && (
        <button
          type="button"
          aria-label={t.signOut}
          title={t.signOut}
          className="flex min-h-8 flex-none items-center justify-center rounded-md px-2.5 hover:bg-raised hover:text-ink"
          onClick={() => void signOut()}
        >
          <LogOut size={15} />
        </button>
      )}
    </div>
  );
}

const BAR_ITEM =
  'flex min-h-13 min-w-0 flex-auto flex-col items-center justify-center gap-0.5 px-0.5 text-2xs text-ink-soft aria-[current=page]:font-medium aria-[current=page]:text-accent';

/** The navigation of a narrow window: the screens that are used most, and the way to all others. */
export function BottomBar() {
  const [isOpen, setIsOpen] = useState(false);
  const current = useCurrentPlace();
  const t = shellMessages();
  return (
    <nav
      aria-label={t.navigation}
      className="flex shrink-0 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {MAIN_PLACES.filter(isForRole).map((place) => (
        <Link
          key={place.path}
          to={place.path}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={current === place ? 'page' : undefined}
          className={BAR_ITEM}
        >
          <place.icon size={18} className="shrink-0" />
          <span className="max-w-full truncate">{toScreenName(place.name)}</span>
        </Link>
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-current={current !== undefined && !MAIN_PLACES.includes(current) ? 'page' : undefined}
        className={BAR_ITEM}
        onClick={() => setIsOpen(true)}
      >
        <MenuIcon size={18} className="shrink-0" />
        <span>{t.more}</span>
      </button>
      {isOpen && <AllPlaces current={current} onClose={() => setIsOpen(false)} />}
    </nav>
  );
}

function AllPlaces({ current, onClose }: { current: Place | undefined; onClose: () => void }) {
  const t = shellMessages();
  return (
    <Dialog title={t.navigation} onClose={onClose}>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3">
        {toGroups().map(({ name, places }) => (
          <div key={name} role="group" aria-labelledby={`all-${name}`} className="flex min-w-0 flex-col">
            <p id={`all-${name}`} className="pb-0.5 text-xs text-ink-faint">
              {t.groups[name]}
            </p>
            {places.map((place) => (
              <SheetLink key={place.path} place={place} isCurrent={current === place} onChoose={onClose} />
            ))}
          </div>
        ))}
      </div>
      <div className="mt-3 border-t border-line pt-2">
        {isForRole(SETTINGS) && <SheetLink place={SETTINGS} isCurrent={current === SETTINGS} onChoose={onClose} />}
        <Account wordClass="" />
      </div>
    </Dialog>
  );
}

interface SheetLinkProps {
  readonly place: Place;
  readonly isCurrent: boolean;
  readonly onChoose: () => void;
}

function SheetLink({ place: { path, name, icon: Icon }, isCurrent, onChoose }: SheetLinkProps) {
  return (
    <Link
      to={path}
      onClick={onChoose}
      activeOptions={{ exact: true, includeSearch: false }}
      aria-current={isCurrent ? 'page' : undefined}
      className="flex min-h-10 items-center gap-2.5 rounded-md text-sm text-ink aria-[current=page]:font-medium aria-[current=page]:text-accent"
    >
      <Icon size={17} className="shrink-0" />
      <span className="min-w-0 truncate">{toScreenName(name)}</span>
    </Link>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-6 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M8 22V10l8 7 8-7v12"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-accent-ink"
      />
    </svg>
  );
}
