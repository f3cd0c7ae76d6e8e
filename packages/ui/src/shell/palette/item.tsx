import { Command, useCommandState } from 'cmdk';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { Keys } from '../top-bar.tsx';
import type { CommandNames } from './to-score.ts';

/** Makes what a command does when it is chosen: the palette closes before. */
export type Run = (action: () => unknown) => () => void;

interface ItemProps {
  /** Identifies the command among all. */
  readonly id: string;
  readonly names: CommandNames;
  readonly icon?: LucideIcon;
  /** Beside the label: the id of a thing, or who it is. */
  readonly code?: string;
  /** The keys that do the same. */
  readonly keys?: string;
  readonly onSelect: () => void;
}

/** A command by its label. */
export function Item({ id, names, icon: Icon, code, keys, onSelect }: ItemProps) {
  return (
    <Command.Item
      value={id}
      keywords={[...names]}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-3 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent"
    >
      {Icon === undefined ? <span className="w-[15px] shrink-0" /> : <Icon size={15} className="shrink-0" />}
      <span className="min-w-0 shrink-0 truncate">{names[0]}</span>
      {code !== undefined && <code className="min-w-0 truncate font-mono text-xs text-ink-faint">{code}</code>}
      {keys !== undefined && (
        <span aria-hidden="true" className="ml-auto shrink-0 text-ink-faint max-sm:hidden">
          <Keys keys={keys} />
        </span>
      )}
    </Command.Item>
  );
}

/**
 * Commands under a heading. What is found stands in one list, the best first, and has none: the library puts items in
 * order, and no groups.
 */
export function Group({ heading, children }: { heading: string; children: ReactNode }) {
  const isSearching = useCommandState(({ search }) => search.trim() !== '');
  return (
    <>
      <p hidden={isSearching} className="px-3 py-1.5 text-xs text-ink-faint">
        {heading}
      </p>
      {children}
    </>
  );
}
