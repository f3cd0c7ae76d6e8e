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
import { EmptyState } from '../../../parts/messages/states.tsx';
import { toLeaving } from '../../../parts/table/to-fitting.ts';
import { useInfiniteRows } from '../../../parts/table/use-infinite-rows.ts';
import { VirtualTable } from '../../../parts/table/virtual-table.tsx';
import { useNavigateWithin } from '../../../parts/use-navigate-within.ts';
import { type ChangeSearch, FilterBar } from '../search/filter-bar.tsx';
import { ListKind } from './list-kind.tsx';
import { LEAVING, toSessionColumns } from './session-columns.tsx';
import { sessionsQuery } from './session-queries.ts';

/** Calls with the same session id, a row for each session, under the filters of the list of calls. */
export function SessionsScreen() {
  const search = useSearch({ from: '/generations/sessions' });
  const navigate = useNavigateWithin('/generations/sessions');
  const query = useInfiniteQuery(sessionsQuery(search));
  const { data, hasNextPage } = query;
  const { rows, loadMore } = useInfiniteRows(query);
  const keyNames = useMemo(
    () => Object.fromEntries(data?.pages.flatMap((page) => Object.entries(page.key_names)) ?? []),
    [data],
  );
  const columns = useMemo(() => toLeaving(toSessionColumns(keyNames), LEAVING), [keyNames]);
  const change: ChangeSearch = (next) => void navigate({ search: (before) => withChange(before, next) });
  const many = rows?.length ?? 0;
  const count = `${formatCount(many)}${hasNextPage ? '+' : ''} ${many === 1 ? 'session' : 'sessions'}`;
  return (
    <ListScreen
      title="Sessions"
      note={
        <span role="status">
          {data === undefined ? query.error === null && 'Loading…' : `${count}, the latest call first`}
        </span>
      }
      actions={<ListKind search={search} />}
      filters={
        <>
          <FilterBar search={search} keyNames={keyNames} onChange={change} />
          {search.text !== undefined && (
            <p role="status" className="flex flex-wrap items-center gap-2 text-sm text-ink-soft">
              Text search is not available for sessions: “{search.text}” is ignored here.
              <Button look="quiet" onClick={() => change({ text: undefined })}>
                Remove it
              </Button>
            </p>
          )}
        </>
      }
    >
      <ListBody
        what="sessions"
        query={query}
        rows={rows}
        empty={<NoSessions isFiltered={hasGenerationFilters(search)} onClear={() => change(NO_FILTERS)} />}
      >
        {(loaded) => (
          <VirtualTable
            label="Sessions"
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
        )}
      </ListBody>
    </ListScreen>
  );
}

const idOf = ({ session_id: id }: SessionRow): string => id;

function NoSessions({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState icon={<Layers size={22} />} title="No sessions match these filters">
        <Button onClick={onClear}>Clear the filters</Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Layers size={22} />} title="No sessions yet">
      <p>
        Calls belong to a session when the client sends the same <code className="font-mono text-xs">session_id</code>{' '}
        with each, in the body or as the header <code className="font-mono text-xs">x-session-id</code>. Many tools do.
      </p>
    </EmptyState>
  );
}
