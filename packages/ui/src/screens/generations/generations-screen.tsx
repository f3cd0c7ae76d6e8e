import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Ban, Pin } from 'lucide-react';
import { useState } from 'react';

import { may } from '../../api/session.ts';
import { setPreferences, usePreferences } from '../../app/preferences.ts';
import type { ListRow } from '../../features/generations/list/list-row.ts';
import { RunningBar } from '../../features/generations/running/running-bar.tsx';
import {
  type GenerationSearch,
  hasGenerationFilters,
  isGrouping,
  withChange,
  withoutFilters,
} from '../../features/generations/search/generation-search.ts';
import { ListScreen } from '../../features/list-screen/list-screen.tsx';
import { Button, Spinner } from '../../parts/controls/button.tsx';
import { copyText } from '../../parts/controls/copy-button.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { moveBeside } from '../../parts/table/column-order.ts';
import type { TableSort } from '../../parts/table/table-row.tsx';
import { VirtualTable } from '../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { CompareGenerations } from './detail/compare-generations.tsx';
import { GenerationDetail } from './detail/generation-detail.tsx';
import { ActionsMenu } from './list/actions-menu.tsx';
import { ColumnsMenu } from './list/columns-menu.tsx';
import { countRows, describeSort, toFound } from './list/describe-list.ts';
import { GroupMenu } from './list/group-menu.tsx';
import { GroupTable } from './list/group-table.tsx';
import { NewRowsBar, PinnedNote } from './list/list-notes.tsx';
import { LiveControl } from './list/live-control.tsx';
import { generationsMessages } from './list/messages.ts';
import { NoGenerations } from './list/no-generations.tsx';
import { RefusedTable } from './list/refused-table.tsx';
import { type ListColumns, keepWidth, useColumns } from './list/use-columns.ts';
import { useGenerations } from './list/use-generations.ts';
import { toSelection, useRowKeys, useStepKeys } from './list/use-row-keys.ts';
import { type ChangeSearch, FilterBar } from './search/filter-bar.tsx';
import { facetsQuery } from './search/generation-counts.ts';
import { Histogram } from './search/histogram.tsx';
import { SearchBar } from './search/search-bar.tsx';
import { ListKind } from './sessions/list-kind.tsx';
import { ViewsMenu } from './views/views-menu.tsx';

/** Every request, the last that ended first: filters in the address, a histogram, a live list, and the generation at hand beside it. */
export function GenerationsScreen() {
  const search = useSearch({ from: '/generations' });
  const navigate = useNavigateWithin('/generations');
  const t = generationsMessages();
  const [isPaused, setIsPaused] = useState(false);
  const [isAtTop, setIsAtTop] = useState(true);
  const list = useGenerations(search, isPaused, isAtTop);
  const table = useColumns(search, list);
  const grouping = search.pinned === undefined && isGrouping(search.group) ? search.group : undefined;
  const isList = grouping === undefined && search.refused === undefined;
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
      title={t.title}
      note={
        <>
          {search.refused === undefined ? (
            <span role="status">
              {list.isLoading ? t.loading : list.error === null && toFound(list.rows.length, total, search)}
            </span>
          ) : (
            t.refused.note
          )}
          {/* The head of the table shows it, too: left out where the tools leave no room for it in one line. */}
          {isList && list.rows.length > 1 && (
            <span className="@5xl:@max-[81rem]:sr-only"> · {describeSort(search, table.columns)}</span>
          )}
        </>
      }
      actions={
        <>
          <ListKind search={search} />
          {isList && search.pinned === undefined && (
            <LiveControl
              isConnected={list.feed === 'on'}
              isPaused={isPaused}
              waiting={list.waiting}
              perMinute={list.perMinute}
              onPause={() => setIsPaused(true)}
              onResume={() => {
                setIsPaused(false);
                list.showWaiting();
              }}
            />
          )}
          {/* Where they have no room beside these, all of them are in a line of their own. */}
          <span className="hidden basis-full max-sm:-mb-2 max-sm:block" />
          <Actions search={search} table={table} onChange={change} />
        </>
      }
      filters={
        search.refused === undefined && (
          <FilterBar
            search={search}
            keyNames={list.keyNames}
            onChange={(next) => change({ pinned: undefined, ...next })}
          />
        )
      }
      opened={<Opened search={search} onChange={change} onMaximize={maximize} />}
    >
      {search.refused !== undefined ? (
        <RefusedTable
          model={search.model}
          onModel={(model) => void navigate({ search: { refused: '1', ...(model !== undefined && { model }) } })}
        />
      ) : (
        <>
          <AboveList
            search={search}
            list={list}
            isList={isList}
            isPaused={isPaused}
            total={total}
            counted={facets?.total}
            onChange={change}
            onOpen={open}
          />
          {grouping === undefined ? (
            <GenerationList
              search={search}
              list={list}
              table={table}
              total={total}
              onChange={change}
              onOpen={open}
              onMaximize={maximize}
              onTopChange={setIsAtTop}
            />
          ) : (
            <GroupTable key={grouping} search={search} grouping={grouping} onChange={change} />
          )}
        </>
      )}
    </ListScreen>
  );
}

interface PartProps {
  readonly search: GenerationSearch;
  readonly onChange: ChangeSearch;
}

function Actions({ search, table, onChange }: PartProps & { table: ListColumns }) {
  const t = generationsMessages();
  const navigate = useNavigateWithin('/generations');
  const { pins } = usePreferences();
  const isPinned = search.pinned !== undefined;
  const isRefused = search.refused !== undefined;
  const isList = !isRefused && !isGrouping(search.group);
  const count = pins.length > 0 ? ` ${pins.length}` : '';
  return (
    <>
      {may('listRefusals') && (
        <Button
          aria-pressed={isRefused}
          className={PRESSED}
          icon={<Ban size={15} />}
          aria-label={t.refused.title}
          title={t.refused.note}
          onClick={() => void navigate({ search: isRefused ? {} : { refused: '1' } })}
        >
          <span className="@max-5xl:hidden">{t.refused.title}</span>
        </Button>
      )}
      <Button
        aria-pressed={isPinned}
        className={PRESSED}
        icon={<Pin size={15} />}
        aria-label={t.pinned + count}
        title={t.pinned}
        onClick={() => void navigate({ search: isPinned ? {} : { pinned: '1' } })}
      >
        <span className="@max-5xl:hidden">{t.pinned}</span>
        {count}
      </Button>
      {!isRefused && may('listViews') && <ViewsMenu search={search} />}
      {!isRefused && !isPinned && (
        <GroupMenu group={search.group} onChange={(group) => onChange({ group, open: undefined })} />
      )}
      {isList && <ColumnsMenu columns={table.columns} hidden={table.hidden} />}
      {toCompared(search).length === 1 && (
        <Button look="quiet" onClick={() => onChange({ compare: undefined })}>
          {t.clearSelected}
        </Button>
      )}
      {!isRefused && (
        <ActionsMenu
          search={search}
          ids={toChosen(search, pins)}
          onRerun={() => void navigate({ to: '/reruns', search: { ...withoutFilters(search, NO_FILTER), new: '1' } })}
        />
      )}
    </>
  );
}

/** Requests that are selected, or else pinned where those are shown. */
function toChosen(search: GenerationSearch, pins: readonly string[]): readonly string[] {
  const selected = toCompared(search);
  return selected.length === 0 && search.pinned !== undefined ? pins : selected;
}

/** What of the address says how the list is shown. */
const NO_FILTER = ['sort', 'order', 'group', 'open', 'compare', 'tab'] as const;
const PRESSED = 'aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent';

interface ListProps extends PartProps {
  readonly list: ReturnType<typeof useGenerations>;
  /** Number of all rows; -1 while it is unknown. */
  readonly total: number;
  readonly onOpen: (id: string) => void;
}

interface AboveListProps extends ListProps {
  /** Whether requests are listed, and not added up. */
  readonly isList: boolean;
  readonly isPaused: boolean;
  readonly counted: number | undefined;
}

/** What is between the filters and the rows: how many there are over time, how far a search is, and what is new. */
function AboveList({ search, list, isList, isPaused, total, counted, onChange, onOpen }: AboveListProps) {
  const isPinned = search.pinned !== undefined;
  const isNew = list.data !== undefined && list.rows.length === 0 && total === 0 && !hasGenerationFilters(search);
  return (
    <>
      {!isPinned && !isNew && (
        <Histogram search={search} onSpan={(from, to) => onChange({ from, to, range: undefined })} />
      )}
      {isList && isSearching(search) && (
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
      {!isPinned && <RunningBar isWatched openId={search.open} onOpen={onOpen} />}
      {isList && (
        <NewRowsBar waiting={list.waiting} isStale={list.isStale} isPaused={isPaused} onShow={list.showWaiting} />
      )}
    </>
  );
}

interface GenerationListProps extends ListProps {
  readonly table: ListColumns;
  readonly onMaximize: (id: string) => void;
  readonly onTopChange: (isAtTop: boolean) => void;
}

function GenerationList(props: GenerationListProps) {
  const { search, list, table, total, onChange, onOpen, onMaximize, onTopChange } = props;
  const t = generationsMessages();
  const { rows } = list;
  const { columnWidths } = usePreferences();
  const open = ({ id }: ListRow): void => onOpen(id);
  useStepKeys({ rows, openId: search.open, open, onEnd: list.loadMore });
  const opened = rows.find(({ id }) => id === search.open);
  const onKey = useRowKeys({ compare: search.compare, opened, change: onChange });
  const isSortable = search.text === undefined && search.pinned === undefined;
  return (
    <>
      <Loaded
        what={t.what}
        failure={t.failure}
        query={{ error: list.error, refetch: list.refresh }}
        data={list.data === undefined && !list.isStopped ? undefined : rows}
      >
        {() =>
          rows.length === 0 && (!list.hasNextPage || list.isStopped) ? (
            <NoGenerations search={search} isStopped={list.isStopped} onChange={onChange} />
          ) : (
            <VirtualTable
              label={t.title}
              rows={rows}
              columns={table.columns}
              hidden={table.hidden}
              widths={columnWidths}
              onWidth={keepWidth}
              onMove={(id, place) => {
                const ids = table.columns.map((column) => column.id);
                setPreferences({ columnOrder: moveBeside(ids, id, place) });
              }}
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
          <Spinner /> {t.loadingMore}
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
          onCopyId={() => void copyText(id, generationsMessages().copiedId)}
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

/** The order of the list; the newest first where nothing is said. */
const toTableSort = ({ sort = 'time', order }: GenerationSearch): TableSort => ({
  by: sort,
  order: order === 'asc' ? 'asc' : 'desc',
});

const idOf = ({ id }: ListRow): string => id;
