import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ListTree, Pin, SearchX } from 'lucide-react';
import { useMemo, useState } from 'react';

import { usePreferences } from '../../app/preferences.ts';
import {
  GENERATION_COLUMNS,
  LEAVING,
  LEAVING_BESIDE,
  toColumns,
} from '../../features/generations/list/generation-columns.tsx';
import type { ListRow } from '../../features/generations/list/list-row.ts';
import { RunningBar } from '../../features/generations/running/running-bar.tsx';
import {
  type GenerationSearch,
  NO_FILTERS,
  hasGenerationFilters,
  withChange,
} from '../../features/generations/search/generation-search.ts';
import { ListScreen } from '../../features/list-screen/list-screen.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Button, Spinner } from '../../parts/controls/button.tsx';
import { copyText } from '../../parts/controls/copy-button.tsx';
import { Checkbox } from '../../parts/controls/field.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import type { TableSort } from '../../parts/table/table-row.tsx';
import { toLeaving } from '../../parts/table/to-fitting.ts';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { CompareGenerations } from './detail/compare-generations.tsx';
import { GenerationDetail } from './detail/generation-detail.tsx';
import { ColumnsMenu, ExportMenu } from './list/list-menus.tsx';
import { NewRowsBar, PinnedNote } from './list/list-notes.tsx';
import { useGenerations } from './list/use-generations.ts';
import { toSelection, useRowKeys, useStepKeys } from './list/use-row-keys.ts';
import { type ChangeSearch, FilterBar } from './search/filter-bar.tsx';
import { facetsQuery } from './search/generation-counts.ts';
import { Histogram } from './search/histogram.tsx';
import { SearchBar } from './search/search-bar.tsx';
import { WhyNothing } from './search/why-nothing.tsx';
import { ListKind } from './sessions/list-kind.tsx';
import { ViewsMenu } from './views/views-menu.tsx';

/** Every call, newest first: filters in the address, a histogram, a live list, and the generation at hand beside it. */
export function GenerationsScreen() {
  const search = useSearch({ from: '/generations' });
  const navigate = useNavigateWithin('/generations');
  const [isLive, setIsLive] = useState(true);
  const [isAtTop, setIsAtTop] = useState(true);
  const list = useGenerations(search, isLive, isAtTop);
  const change: ChangeSearch = (next, replace = false) =>
    void navigate({ search: (before) => withChange(before, next), replace });
  const open = (id: string): void => change({ open: id }, search.open !== undefined);
  // The page of a call keeps the list that it was opened from.
  const maximize = (id: string): void =>
    void navigate({ to: '/generations/$id', params: { id }, search: ({ open: _, ...kept }) => kept });
  const { data: facets } = useQuery({ ...facetsQuery(search), enabled: hasGenerationFilters(search) });
  const total = countRows(list, search, facets?.total);
  return (
    <ListScreen
      title="Generations"
      note={
        <span role="status">
          {list.isLoading ? 'Loading…' : list.error === null && toFound(list.rows.length, total, search)}
        </span>
      }
      actions={
        <>
          <ListKind search={search} />
          <Checkbox
            label={
              <span className="whitespace-nowrap">
                Live{isLive && list.feed === 'connecting' ? ' (connecting)' : ''}
              </span>
            }
            checked={isLive}
            onChange={(event) => setIsLive(event.target.checked)}
          />
          <Actions search={search} onChange={change} />
        </>
      }
      filters={
        <FilterBar
          search={search}
          keyNames={list.keyNames}
          onChange={(next) => change({ pinned: undefined, ...next })}
        />
      }
      opened={<Opened search={search} onChange={change} onMaximize={maximize} />}
    >
      <AboveList search={search} list={list} total={total} counted={facets?.total} onChange={change} onOpen={open} />
      <GenerationList
        search={search}
        list={list}
        total={total}
        onChange={change}
        onOpen={open}
        onMaximize={maximize}
        onTopChange={setIsAtTop}
      />
    </ListScreen>
  );
}

interface PartProps {
  readonly search: GenerationSearch;
  readonly onChange: ChangeSearch;
}

function Actions({ search, onChange }: PartProps) {
  const navigate = useNavigateWithin('/generations');
  const { pins } = usePreferences();
  const isPinned = search.pinned !== undefined;
  return (
    <>
      <Button
        aria-pressed={isPinned}
        className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        icon={<Pin size={15} />}
        aria-label={`Pinned${pins.length > 0 ? ` ${pins.length}` : ''}`}
        title="Pinned"
        onClick={() => void navigate({ search: isPinned ? {} : { pinned: '1' } })}
      >
        <span className="max-lg:hidden">Pinned</span>
        {pins.length > 0 && ` ${pins.length}`}
      </Button>
      <ViewsMenu search={search} />
      <ColumnsMenu columns={GENERATION_COLUMNS} />
      {toCompared(search).length === 1 && (
        <Button look="quiet" onClick={() => onChange({ compare: undefined })}>
          Clear 1 selected
        </Button>
      )}
      {!isPinned && <ExportMenu search={search} />}
    </>
  );
}

interface ListProps extends PartProps {
  readonly list: ReturnType<typeof useGenerations>;
  /** Number of all rows; -1 while it is unknown. */
  readonly total: number;
  readonly onOpen: (id: string) => void;
}

/** What is between the filters and the rows: how many there are over time, how far a search is, and what is new. */
function AboveList({ search, list, total, counted, onChange, onOpen }: ListProps & { counted: number | undefined }) {
  const isPinned = search.pinned !== undefined;
  const isNew = list.data !== undefined && list.rows.length === 0 && total === 0 && !hasGenerationFilters(search);
  return (
    <>
      {!isPinned && !isNew && (
        <Histogram search={search} onSpan={(from, to) => onChange({ from, to, range: undefined })} />
      )}
      {isSearching(search) && (
        <SearchBar
          searched={list.searched}
          total={counted}
          isRunning={list.isFetching}
          isSortLost={search.sort !== undefined}
          isStopped={list.isStopped}
          isDone={list.data !== undefined && !list.hasNextPage && !list.isFetching}
          onStop={list.stop}
          onGoOn={list.goOn}
        />
      )}
      {isPinned && list.data !== undefined && <PinnedNote rows={list.rows} />}
      {!isPinned && <RunningBar openId={search.open} onOpen={onOpen} />}
      <NewRowsBar waiting={list.waiting} isStale={list.isStale} onShow={list.showWaiting} />
    </>
  );
}

interface GenerationListProps extends ListProps {
  readonly onMaximize: (id: string) => void;
  readonly onTopChange: (isAtTop: boolean) => void;
}

function GenerationList({ search, list, total, onChange, onOpen, onMaximize, onTopChange }: GenerationListProps) {
  const { rows } = list;
  const { pins, hiddenColumns: hidden } = usePreferences();
  const open = ({ id }: ListRow): void => onOpen(id);
  useStepKeys({ rows, openId: search.open, open, onEnd: list.loadMore });
  const opened = rows.find(({ id }) => id === search.open);
  const onKey = useRowKeys({ compare: search.compare, opened, change: onChange });
  const leaving = search.open === undefined ? LEAVING : LEAVING_BESIDE;
  const columns = useMemo(() => toLeaving(toColumns(pins, list.keyNames), leaving), [pins, list.keyNames, leaving]);
  const isSortable = search.text === undefined && search.pinned === undefined;
  return (
    <>
      <Loaded
        what="generations"
        failure="The generations could not be loaded"
        query={{ error: list.error, refetch: list.refresh }}
        data={list.isLoading ? undefined : rows}
      >
        {() =>
          rows.length === 0 && (!list.hasNextPage || list.isStopped) ? (
            <NoGenerations search={search} isStopped={list.isStopped} onChange={onChange} />
          ) : (
            <VirtualTable
              label="Generations"
              rows={rows}
              columns={columns}
              hidden={hidden}
              idOf={idOf}
              isRecycled
              onOpen={open}
              onEnter={({ id }) => onMaximize(id)}
              openId={search.open}
              total={total}
              onEndReached={list.loadMore}
              onTopChange={onTopChange}
              onKey={onKey}
              sort={isSortable ? toTableSort(search) : undefined}
              onSort={isSortable ? ({ by, order }) => onChange({ sort: by, order }) : undefined}
            />
          )
        }
      </Loaded>
      {list.isFetchingNextPage && !isSearching(search) && (
        <p
          role="status"
          className="flex items-center justify-center gap-2 border-t border-line py-1.5 text-xs text-ink-faint"
        >
          <Spinner /> Loading more…
        </p>
      )}
    </>
  );
}

/** The generation beside the list, and the two that are compared. */
function Opened({ search, onChange, onMaximize }: PartProps & { onMaximize: (id: string) => void }) {
  const { open: id, tab } = search;
  const [first, second, ...others] = toCompared(search);
  const isPair = first !== undefined && second !== undefined && others.length === 0;
  return (
    <>
      {id !== undefined && (
        <GenerationDetail
          id={id}
          onClose={() => onChange({ open: undefined })}
          onCopyId={() => void copyText(id, 'Copied the id')}
          onMaximize={() => onMaximize(id)}
          compared={toCompared(search)}
          tab={tab}
          onTab={(next) => onChange({ tab: next }, true)}
          onCompare={() => onChange({ compare: toSelection(search.compare, id) })}
        />
      )}
      {isPair && <CompareGenerations ids={[first, second]} onClose={() => onChange({ compare: undefined })} />}
    </>
  );
}

const toCompared = ({ compare }: GenerationSearch): readonly string[] => compare?.split(',') ?? [];

/** Whether texts are searched, which takes a while. */
const isSearching = ({ text, pinned }: GenerationSearch): boolean => text !== undefined && pinned === undefined;

/** Number of all rows; -1 while it is unknown. */
function countRows(
  { rows, total, hasNextPage }: ReturnType<typeof useGenerations>,
  search: GenerationSearch,
  counted: number | undefined,
): number {
  if (!hasNextPage) return rows.length;
  const known = total ?? (search.text === undefined ? counted : undefined);
  return known === undefined ? -1 : Math.max(known, rows.length);
}

function toFound(rows: number, total: number, search: GenerationSearch): string {
  if (search.pinned !== undefined) return `${formatCount(rows)} pinned`;
  const count = total === -1 ? `${formatCount(rows)}+` : formatCount(total);
  return hasGenerationFilters(search) ? `${count} found` : `${count} total`;
}

interface NoGenerationsProps {
  readonly search: GenerationSearch;
  readonly isStopped: boolean;
  readonly onChange: ChangeSearch;
}

function NoGenerations({ search, isStopped, onChange }: NoGenerationsProps) {
  if (search.pinned !== undefined) {
    return (
      <EmptyState icon={<Pin size={22} />} title="No pinned calls">
        <p>Press p on a row, or use the pin of an open call. It stays here until retention deletes it.</p>
      </EmptyState>
    );
  }
  if (!hasGenerationFilters(search)) {
    return (
      <EmptyState icon={<ListTree size={22} />} title="No calls yet">
        <p>
          Calls appear here as soon as they end. Send one from the playground, or copy a snippet from the top of the
          page.
        </p>
        <Link to="/playground" className="text-accent underline">
          Open the playground
        </Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<SearchX size={22} />}
      title={isStopped ? 'No results before the search was stopped' : 'No generation matches these filters'}
    >
      {!isStopped && <WhyNothing search={search} onChange={onChange} />}
      <Button onClick={() => onChange(NO_FILTERS)}>Clear the filters</Button>
    </EmptyState>
  );
}

/** The order of the list; the newest first where nothing is said. */
const toTableSort = ({ sort = 'time', order }: GenerationSearch): TableSort => ({
  by: sort,
  order: order === 'asc' ? 'asc' : 'desc',
});

const idOf = ({ id }: ListRow): string => id;
