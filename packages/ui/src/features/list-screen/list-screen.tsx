import { MoreHorizontal, Search } from 'lucide-react';
import { type ComponentProps, type ReactNode, type Ref, useCallback } from 'react';

import { Button } from '../../parts/controls/button.tsx';
import { Menu } from '../../parts/controls/menu.tsx';
import { Loaded, type LoadedProps } from '../../parts/messages/loaded.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { listMessages } from './messages.ts';

interface ListScreenProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** Beside the title: what can be done here. */
  readonly actions?: ReactNode;
  /** Below the title. */
  readonly filters?: ReactNode;
  /** Beside the list, and over it: what is open. */
  readonly opened?: ReactNode;
  /** The list, most often a `ListBody`. */
  readonly children: ReactNode;
}

/** The frame of a screen that lists something. */
export function ListScreen({ title, note, actions, filters, opened, children }: ListScreenProps) {
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex flex-col gap-3 border-b border-line px-4 py-3">
          {/* What stands there may leave out its words where the list is narrow. */}
          <div className="@container">
            <ScreenHeader title={title} note={note}>
              {actions}
            </ScreenHeader>
          </div>
          {filters}
        </div>
        {children}
      </div>
      {opened}
    </div>
  );
}

/** The look of a link in `ListKinds`. */
export const LIST_KIND =
  'inline-flex min-h-7 items-center rounded px-2.5 text-sm text-ink-soft hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent';

/** Beside the title: links to the lists of the same things, of which one is shown. */
export function ListKinds({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex rounded-md border border-line-strong/50 bg-surface p-0.5"
    >
      {children}
    </div>
  );
}

interface ListBodyProps<Row> extends Omit<LoadedProps<readonly Row[]>, 'data'> {
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  /** In place of a list of no rows. */
  readonly empty: ReactNode;
}

/** The rows of a list; or that they load, why they could not be loaded, or why there are none. */
export function ListBody<Row>({ rows, empty, children, ...rest }: ListBodyProps<Row>) {
  return (
    <Loaded failure={listMessages().notLoaded(rest.what)} {...rest} data={rows}>
      {(loaded) => (loaded.length === 0 ? empty : children(loaded))}
    </Loaded>
  );
}

/** Filters that change; undefined takes one away. */
export type SearchChange<Filters> = { readonly [Name in keyof Filters]?: string | undefined };

/**
 * Changes the filters of a list, which are part of its address. To open or close a row is a step in the history; a change
 * of the filters takes the place of the last one, also where it closes the row.
 */
export function useSearchChange<Filters extends object>(
  from: '/audit' | '/batches' | '/files' | '/fixtures' | '/keys' | '/members' | '/models' | '/providers' | '/videos',
): (change: SearchChange<Filters>) => void {
  const navigate = useNavigateWithin(from);
  return useCallback(
    (change) => {
      const isStep = 'open' in change && (change.open !== undefined || Object.keys(change).length === 1);
      void navigate({ search: (before) => ({ ...before, ...change }), replace: !isStep });
    },
    [navigate],
  );
}

interface SearchFieldProps {
  /** For the key / of the screen, which leads here. */
  readonly ref: Ref<HTMLInputElement>;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** The field that filters a list by text: Escape empties it, and then leaves it. */
export function SearchField({ ref, label, placeholder, value = '', onChange }: SearchFieldProps) {
  return (
    <div className="relative max-w-2xl min-w-40 flex-1 basis-56">
      <Search size={15} className="absolute top-2.5 left-2.5 text-ink-faint" />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={`${placeholder}  ( / )`}
        className="field pl-8"
        value={value}
        onChange={(event) => onChange(event.target.value || undefined)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (value === '') event.currentTarget.blur();
          else onChange(undefined);
        }}
      />
    </div>
  );
}

/** What can be done about a row, at its end; a click there does not open the row. */
export function RowMenu({ label, items }: { label: string; items: ComponentProps<typeof Menu>['items'] }) {
  return (
    <span onClick={(event) => event.stopPropagation()}>
      <Menu trigger={<Button look="quiet" aria-label={label} icon={<MoreHorizontal size={16} />} />} items={items} />
    </span>
  );
}
