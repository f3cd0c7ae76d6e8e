import type { SessionRow } from '@model-gateway/core/wire';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Layers } from 'lucide-react';
import { useMemo } from 'react';

import {
  hasGenerationFilters,
  NO_FILTERS,
  withChange,
} from '../../../features/generations/search/generation-search.ts';
import { ListBody, ListScreen } from '../../../features/list-screen/list-screen.tsx';
import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { MoreNotLoaded } from '../../../parts/messages/more-not-loaded.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import { toLeaving } from '../../../parts/table/to-fitting.ts';
import { useInfiniteRows } from '../../../parts/table/use-infinite-rows.ts';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../../parts/use-navigate-within.ts';
import { type ChangeSearch, FilterBar } from '../search/filter-bar.tsx';
import { ListKind } from './list-kind.tsx';
import { sessionsMessages } from './messages.tsx';
import { LEAVING, toSessionColumns } from './session-columns.tsx';
import { sessionsQuery } from './session-queries.ts';

/** Requests with the same session id, a row for each session, under the filters of the list of requests. */
export function SessionsScreen() {
  const t = sessionsMessages().list;
  const search = useSearch({ from: '/generations/sessions' });
  const navigate = useNavigateWithin('/generations/sessions');
  const options = sessionsQuery(search);
  const query = useInfiniteQuery(options);
  const { data, hasNextPage } = query;
  const { rows, loadMore, moreError } = useInfiniteRows(query, options.queryKey);
  const keyNames = useMemo(
    () => Object.fromEntries(data?.pages.flatMap((page) => Object.entries(page.key_names)) ?? []),
    [data],
  );
  const columns = useMemo(() => toLeaving(toSessionColumns(keyNames), LEAVING), [keyNames]);
  const change: ChangeSearch = (next) => void navigate({ search: (before) => withChange(before, next) });
  const many = rows?.length ?? 0;
  const count = t.count(many, `${formatCount(many)}${hasNextPage ? '+' : ''}`);
  return (
    <ListScreen
      title={t.title}
      note={<span role="status">{data === undefined ? query.error === null && t.loading : count}</span>}
      actions={<ListKind search={search} />}
      filters={
        <>
          <FilterBar search={search} keyNames={keyNames} onChange={change} />
          {search.text !== undefined && (
            <p role="status" className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
              {t.noTextSearch(search.text)}
              <Button look="quiet" onClick={() => change({ text: undefined })}>
                {t.removeText}
              </Button>
            </p>
          )}
        </>
      }
    >
      <ListBody
        what={t.what}
        query={query}
        rows={rows}
        empty={<NoSessions isFiltered={hasGenerationFilters(search)} onClear={() => change(NO_FILTERS)} />}
      >
        {(loaded) => (
          <>
            <MoreNotLoaded what={t.what} failure={t.moreNotLoaded} error={moreError} query={query} />
            <VirtualTable
              label={t.title}
              rows={loaded}
              columns={columns}
              idOf={idOf}
              isRecycled
              onOpen={({ session_id: id }) =>
                void navigate({ to: '/generations/sessions/$id', params: { id }, search: {} })
              }
              total={hasNextPage ? -1 : loaded.length}
              onEndReached={loadMore}
            />
          </>
        )}
      </ListBody>
    </ListScreen>
  );
}

const idOf = ({ session_id: id }: SessionRow): string => id;

function NoSessions({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const t = sessionsMessages().list;
  if (isFiltered) {
    return (
      <EmptyState icon={<Layers size={22} />} title={t.noMatch}>
        <Button onClick={onClear}>{t.clear}</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Layers size={22} />} title={t.none}>
      <p>
        {t.noneNote(
          <code className="font-mono text-xs">session_id</code>,
          <code className="font-mono text-xs">x-session-id</code>,
        )}
      </p>
    </EmptyState>
  );
}
