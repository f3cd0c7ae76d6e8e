import { Link } from '@tanstack/react-router';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';

import { setPreferences, usePreferences } from '../app/preferences.ts';
import { classNames } from '../parts/class-names.ts';
import { RAIL_ITEMS } from './navigation.ts';

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
          <Icon size={17} aria-hidden className="shrink-0" />
          <span className={label}>{name}</span>
        </Link>
      ))}
      <div className="flex-1" />
      <button
        type="button"
        className="hidden min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm text-ink-faint hover:bg-raised hover:text-ink md:flex"
        onClick={() => setPreferences({ isRailCollapsed: !isRailCollapsed })}
      >
        {isRailCollapsed ? <PanelLeftOpen size={17} aria-hidden /> : <PanelLeftClose size={17} aria-hidden />}
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
