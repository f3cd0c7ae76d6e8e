import { Link } from '@tanstack/react-router';
import {
  Archive,
  ChartColumn,
  KeyRound,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Package,
  PanelLeftClose,
  PanelLeftOpen,
  Plug,
  Send,
  Settings,
  ShieldCheck,
  Video,
} from 'lucide-react';

import { setPreferences, usePreferences } from '../app/preferences.ts';
import { classNames } from '../parts/class-names.ts';

/** The left rail. Narrow windows show its icons alone. */
export function Rail() {
  const { isRailCollapsed } = usePreferences();
  const label = isRailCollapsed ? 'sr-only' : 'sr-only md:not-sr-only';
  return (
    <nav
      aria-label="Screens"
      className={classNames(
        'scroll-thin relative flex shrink-0 flex-col gap-0.5 overflow-y-auto border-r border-line bg-surface p-1.5 md:p-2',
        isRailCollapsed ? 'w-12 md:w-14' : 'w-12 md:w-48',
      )}
    >
      <div className="mb-2 flex h-9 items-center gap-2.5 px-1.5 font-semibold md:px-2">
        <Mark />
        <span className={classNames(label, 'tracking-tight whitespace-nowrap')}>Model Gateway</span>
      </div>
      {RAIL_ITEMS.map(({ path, label: name, icon: Icon }) => (
        <Link
          key={path}
          to={path}
          title={name}
          activeOptions={{ exact: path === '/', includeSearch: false }}
          className="flex min-h-9 items-center gap-2.5 rounded-md px-2 text-sm text-ink-soft md:px-2.5 hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
        >
          <Icon size={17} className="shrink-0" />
          <span className={label}>{name}</span>
        </Link>
      ))}
      <div className="flex-1" />
      <button
        type="button"
        className="hidden min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm text-ink-faint hover:bg-raised hover:text-ink md:flex"
        onClick={() => setPreferences({ isRailCollapsed: !isRailCollapsed })}
      >
        {isRailCollapsed ? <PanelLeftOpen size={17} /> : <PanelLeftClose size={17} />}
        <span className={label}>{isRailCollapsed ? 'Expand' : 'Collapse'}</span>
      </button>
    </nav>
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

/** An item of the left rail. Its shortcuts are `g` and the letter, and Ctrl or Cmd with the digit, if it has one. */
interface RailItem {
  readonly path:
    | '/'
    | '/models'
    | '/generations'
    | '/playground'
    | '/videos'
    | '/guardrails'
    | '/keys'
    | '/destinations'
    | '/providers'
    | '/fixtures'
    | '/settings';
  readonly label: string;
  readonly letter: string;
  readonly digit?: string;
  readonly icon: LucideIcon;
}

/** Screens that are reached from others, by path. */
export const OTHER_SCREENS = { '/connect': 'Connect a tool', '/members/': 'Members' } as const;

/** The screens, in the order of the rail. */
export const RAIL_ITEMS: readonly RailItem[] = [
  { path: '/', label: 'Overview', letter: 'o', digit: '1', icon: ChartColumn },
  { path: '/models', label: 'Models', letter: 'm', digit: '2', icon: Package },
  { path: '/generations', label: 'Generations', letter: 'e', digit: '3', icon: ListTree },
  { path: '/playground', label: 'Playground', letter: 'p', digit: '4', icon: MessagesSquare },
  { path: '/videos', label: 'Videos', letter: 'v', digit: '5', icon: Video },
  { path: '/guardrails', label: 'Guardrails', letter: 'u', digit: '6', icon: ShieldCheck },
  { path: '/keys', label: 'Keys', letter: 'k', digit: '7', icon: KeyRound },
  { path: '/destinations', label: 'Destinations', letter: 'd', digit: '8', icon: Send },
  { path: '/providers', label: 'Providers', letter: 'r', digit: '9', icon: Plug },
  { path: '/fixtures', label: 'Fixtures', letter: 'f', icon: Archive },
  { path: '/settings', label: 'Settings', letter: 's', digit: '0', icon: Settings },
];
