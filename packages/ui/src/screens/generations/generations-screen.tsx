import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListTree, SearchX } from 'lucide-react';
import { useCallback, useState } from 'react';

import type { ListRow } from './list-row.ts';
import { formatCount } from '../../format/quantity.ts';
import { Button, Spinner } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy-button.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Checkbox } from '../../parts/field.tsx';
import { EmptyState, Loading, ScreenHeader } from '../../parts/states.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { CompareGenerations } from './compare-generations.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { GENERATION_COLUMNS, HIDDEN_AT_FIRST, HIDDEN_BESIDE } from './generation-columns.tsx';
import { GenerationDetail } from './generation-detail.tsx';
import { type GenerationSearch, hasGenerationFilters } from './generation-search.ts';
import { Histogram } from './histogram.tsx';
import { NewRowsBar } from './new-rows-bar.tsx';
import { useGenerations } from './use-generations.ts';
import { useRowKeys } from './use-row-keys.ts';

/** Every call, newest first: filters in the address, a histogram, a live list, and the generation at hand beside it. */
export function GenerationsScreen() {
  const search = useSearch({ from: '/generations' });
  const navigate = useNavigate({ from: '/generations' });
  const [isLive, setIsLive] = useState(true);
  const [isAtTop, setIsAtTop] = useState(true);
  const [hidden, setHidden] = useState(HIDDEN_AT_FIRST);
  const list = useGenerations(search, isLive, isAtTop);
  const { rows, fetchNextPage, hasNextPage, isFetchingNextPage, error } = list;
  const change = useCallback(
    (next: { readonly [Name in keyof GenerationSearch]?: string | undefined }, replace = false) =>
      void navigate({ search: (before) => withChange(before, next), replace }),
    [navigate],
  );
  const open = useCallback(
    (row: ListRow) => change({ open: row.id }, search.open !== undefined),
    [change, search.open],
  );
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const onKey = useRowKeys(search.compare, change);
  const compared = search.compare?.split(',') ?? [];
  const found =
    list.total === undefined
      ? `${formatCount(rows.length)}${hasNextPage ? '+' : ''} found`
      : `${formatCount(list.total)} in all`;

  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex flex-col gap-3 border-b border-line px-4 py-3">
          <ScreenHeader title="Generations" note={<span role="status">{list.isPending ? 'Loading…' : found}</span>}>
            <Checkbox
              label={
                <span className="whitespace-nowrap">
                  Live{isLive && list.feed === 'connecting' ? ' (connecting)' : ''}
                </span>
              }
              checked={isLive}
              onChange={(event) => setIsLive(event.target.checked)}
            />
            <ColumnsMenu columns={GENERATION_COLUMNS} hidden={hidden} onChange={setHidden} />
            <ExportMenu search={search} />
          </ScreenHeader>
          <FilterBar search={search} onChange={change} />
        </div>
        <Histogram search={search} onSpan={(from, to) => change({ from, to, range: undefined })} />
        <NewRowsBar waiting={list.waiting} isStale={list.isStale} onShow={list.showWaiting} />
        {error !== null ? (
          <div className="p-4">
            <ErrorPanel error={error} title="The generations could not be loaded" onRetry={list.refresh} />
          </div>
        ) : list.isPending ? (
          <Loading what="generations" />
        ) : rows.length === 0 && !hasNextPage ? (
          <NoGenerations search={search} onClear={() => void navigate({ search: {} })} />
        ) : (
          <VirtualTable
            label="Generations"
            rows={rows}
            columns={GENERATION_COLUMNS}
            hidden={search.open === undefined ? hidden : [...hidden, ...HIDDEN_BESIDE]}
            idOf={idOf}
            onOpen={open}
            onEnter={({ id }) => void navigate({ to: '/generations/$id', params: { id } })}
            openId={search.open}
            minWidth={search.open === undefined ? 900 : 480}
            total={list.total}
            onEndReached={loadMore}
            onTopChange={setIsAtTop}
            onKey={onKey}
          />
        )}
        {isFetchingNextPage && (
          <p
            role="status"
            className="flex items-center justify-center gap-2 border-t border-line py-1.5 text-xs text-ink-faint"
          >
            <Spinner /> {search.text === undefined ? 'Loading more…' : 'Searching older generations…'}
          </p>
        )}
      </div>
      {search.open !== undefined && (
        <GenerationDetail
          id={search.open}
          onClose={() => change({ open: undefined })}
          onCopyId={() => void copyText(search.open ?? '', 'Copied the id')}
        />
      )}
      {compared.length === 2 && (
        <CompareGenerations
          ids={[compared[0] ?? '', compared[1] ?? '']}
          onClose={() => change({ compare: undefined })}
        />
      )}
    </div>
  );
}

function NoGenerations({ search, onClear }: { search: GenerationSearch; onClear: () => void }) {
  if (!hasGenerationFilters(search)) {
    return (
      <EmptyState icon={<ListTree size={22} aria-hidden />} title="Nothing has been called yet">
        <p>
          Every call shows up here the moment it ends. Send one from the playground, or copy a snippet from the top of
          the page.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<SearchX size={22} aria-hidden />} title="No generation matches these filters">
      <p>
        {search.range !== undefined || search.from !== undefined ? 'The span of time may be too short. ' : ''}
        {search.model !== undefined && 'A model is named whole, as in acme/chat. '}
        {search.text !== undefined && 'Texts are found only where prompts and answers are stored.'}
      </p>
      <Button onClick={onClear}>Clear the filters</Button>
    </EmptyState>
  );
}

const idOf = ({ id }: ListRow): string => id;

function withChange(before: GenerationSearch, change: object): GenerationSearch {
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}
