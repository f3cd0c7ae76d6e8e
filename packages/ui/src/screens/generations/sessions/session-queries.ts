import type { SessionList } from '@model-gateway/core/wire';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import { type ListPage, ROW_QUERY, toListRow } from '../../../features/generations/list/list-row.ts';
import { type GenerationSearch, toGenerationQuery } from '../../../features/generations/search/generation-search.ts';

const PATH = '/admin/v1/generations/sessions';
const PAGE_SESSIONS = 50;
const PAGE_CALLS = 50;
const REFRESH_MS = 15_000;

/** The sessions of which a call matches the filters. A text cannot be looked for there. */
export const sessionsQuery = ({ text: _text, ...search }: GenerationSearch) =>
  infiniteQueryOptions({
    queryKey: ['generations', 'sessions', search],
    refetchInterval: (query) => (query.state.data?.pages.length ?? 0) <= 1 && refreshEvery(REFRESH_MS)(query),
    queryFn: ({ pageParam: cursor, signal }) =>
      callApi<SessionList>(PATH, {
        query: { ...toGenerationQuery(search, Date.now()), limit: PAGE_SESSIONS, cursor },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }: SessionList) => next ?? undefined,
  });

/** The sums of one session; null when no call of it is stored. */
export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['generations', 'session', id],
    refetchInterval: refreshEvery(REFRESH_MS),
    queryFn: async ({ signal }) => {
      const list = await callApi<SessionList>(PATH, { query: { session: id, limit: 1 }, signal });
      const row = list.data[0];
      return row === undefined ? null : { ...row, keyNames: list.key_names };
    },
  });

/** The calls of a session, the first one first. */
export const sessionCallsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['generations', 'session', id, 'calls'],
    refetchInterval: (query) => (query.state.data?.pages.length ?? 0) <= 2 && refreshEvery(REFRESH_MS)(query),
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { ...ROW_QUERY, session: id, sort: 'time', order: 'asc', limit: PAGE_CALLS, cursor };
      const page = await callApi<ListPage>('/admin/v1/generations', { query, signal });
      return { ...page, data: page.data.map(toListRow) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }: ListPage) => next ?? undefined,
  });
