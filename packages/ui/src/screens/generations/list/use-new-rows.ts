import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';

import { openApi } from '../../../api/call-api.ts';
import { readEventStream } from '../../../api/read-stream.ts';
import { may } from '../../../api/session.ts';
import { type ListPage, type ListRow, ROW_QUERY } from '../../../features/generations/list/list-row.ts';
import {
  type GenerationSearch,
  belongsTo,
  toSortQuery,
} from '../../../features/generations/search/generation-search.ts';
import { useRate } from './use-rate.ts';

/** So many wait at most; beyond that the list is asked for again. */
const MAX_WAITING = 500;

interface NewRowsOptions {
  /** Tells lists apart: of another one nothing waits. */
  readonly listId: string;
  readonly queryKey: QueryKey;
  readonly filters: GenerationSearch;
  /** Holds back what is new until the user goes on. */
  readonly isPaused: boolean;
  readonly isAtTop: boolean;
  readonly fetchFirstPage: () => Promise<ListPage>;
  readonly onRefresh: () => void;
}

/** What has come to a list that is not in it yet. */
interface News {
  readonly listId: string;
  readonly waiting: readonly ListRow[];
  readonly isStale: boolean;
}

/** Requests that end while a list is shown: put on top, or held back while it is paused or the user reads further down. */
export function useNewRows(options: NewRowsOptions) {
  const { listId, queryKey, filters, isPaused, isAtTop, fetchFirstPage, onRefresh } = options;
  const client = useQueryClient();
  // Where new requests belong in another order than the newest first, the gateway alone can tell.
  const isSorted = toSortQuery(filters).sort !== undefined;
  const none: News = { listId, waiting: [], isStale: false };
  const [latest, setNews] = useState(none);
  const { waiting, isStale } = latest.listId === listId ? latest : none;
  // What comes late, for a list that is not shown any more, is no news of the one that is.
  const change = (toPart: (before: News) => Partial<News>): void =>
    setNews((before) => (before.listId === listId ? { ...before, ...toPart(before) } : before));
  const setStale = (): void => change(() => ({ isStale: true }));
  const rate = useRate(listId);
  const read = () => client.getQueryData<InfiniteData<ListPage>>(queryKey);

  const prepend = (rows: readonly ListRow[]) =>
    client.setQueryData<InfiniteData<ListPage>>(queryKey, (before) => {
      const [first, ...others] = before?.pages ?? [];
      if (before === undefined || first === undefined) return before;
      const fresh = withoutKnown(rows, first.data);
      const total = first.total_estimate === undefined ? {} : { total_estimate: first.total_estimate + fresh.length };
      return { ...before, pages: [{ ...first, ...total, data: [...fresh, ...first.data] }, ...others] };
    });
  const add = (newestFirst: readonly ListRow[]): void => {
    if (isAtTop && !isPaused) prepend(newestFirst);
    else {
      change(({ waiting: before }) => ({
        waiting: [...withoutKnown(newestFirst, before), ...before].slice(0, MAX_WAITING),
      }));
    }
  };
  // Requests that ended while no connection was open are on the first page, unless they are too many.
  const catchUp = async (): Promise<void> => {
    const known = read()?.pages[0]?.data;
    if (known === undefined || filters.pinned !== undefined) return;
    if (filters.text !== undefined || isSorted) return setStale();
    const page = await fetchFirstPage().catch(() => undefined);
    if (page === undefined) return setStale();
    const fresh = withoutKnown(page.data, known);
    if (known.length > 0 && fresh.length === page.data.length) return setStale();
    if (fresh.length > 0) add(fresh);
  };
  const onEnded = (ended: readonly ListRow[]): void => {
    const newestFirst = ended.toReversed();
    rate.note(newestFirst.filter((row) => belongsTo(row, filters) !== false).length);
    const isUnclear = (row: ListRow): boolean => belongsTo(row, filters) !== false;
    if (isSorted && newestFirst.some(isUnclear)) return setStale();
    if (newestFirst.some((row) => belongsTo(row, filters) === undefined)) setStale();
    const fitting = newestFirst.filter((row) => belongsTo(row, filters) === true);
    if (fitting.length > 0) add(fitting);
  };
  // A list that was kept from before has missed what ended since.
  const resume = useEffectEvent(() => {
    setNews(none);
    if (read() !== undefined) void catchUp();
  });
  useEffect(() => {
    resume();
  }, [listId]);
  const feed = useFeed(onEnded, () => void catchUp());
  const refresh = (): void => {
    setNews(none);
    onRefresh();
    void client.resetQueries({ queryKey });
  };
  const showWaiting = (): void => {
    if (isStale || waiting.length >= MAX_WAITING) return refresh();
    prepend(waiting);
    change(() => ({ waiting: [] }));
  };
  return { waiting: waiting.length, isStale, feed, perMinute: rate.perMinute, refresh, showWaiting };
}

function withoutKnown(rows: readonly ListRow[], known: readonly ListRow[]): readonly ListRow[] {
  const ids = new Set(known.map(({ id }) => id));
  return rows.filter(({ id }) => !ids.has(id));
}

/** Ended requests are passed on at most ten times a second, however many there are. */
const BATCH_MS = 100;
const RETRY_MS = 3000;
const LOOK_EVERY_MS = 5000;

type FeedState = 'off' | 'connecting' | 'on';

/**
 * Follows what ends while the page is in sight. `onLost` is called when something may have been missed:
 * after a break, or after the page was hidden.
 */
function useFeed(onEnded: (rows: readonly ListRow[]) => void, onLost: () => void): FeedState {
  const [state, setState] = useState<FeedState>('off');
  const tellEnded = useEffectEvent(onEnded);
  const tellLost = useEffectEvent(onLost);
  useEffect(() => {
    let stop: (() => void) | undefined;
    let wasOn = false;
    const sync = (): void => {
      if (document.hidden) {
        stop?.();
        stop = undefined;
      } else if (stop === undefined) {
        stop = follow({ onEnded: tellEnded, onLost: tellLost }, setState, wasOn);
        wasOn = true;
      }
    };
    sync();
    document.addEventListener('visibilitychange', sync);
    return () => {
      document.removeEventListener('visibilitychange', sync);
      stop?.();
      setState('off');
    };
  }, []);
  return state;
}

interface Callbacks {
  onEnded(rows: readonly ListRow[]): void;
  onLost(): void;
}

function follow({ onEnded, onLost }: Callbacks, setState: (state: FeedState) => void, hasMissed: boolean): () => void {
  const abort = new AbortController();
  let mayHaveMissed = hasMissed;
  let batch: ListRow[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const rows = batch;
    batch = [];
    onEnded(rows);
  };
  // Their role has no feed, as it tells of the calls of others: the first page is looked at instead.
  if (!may('followGenerations')) {
    setState('on');
    if (mayHaveMissed) onLost();
    const looking = setInterval(onLost, LOOK_EVERY_MS);
    return () => clearInterval(looking);
  }
  const connect = async (): Promise<void> => {
    setState('connecting');
    try {
      const { body } = await openApi('/admin/v1/generations/feed', { query: ROW_QUERY, signal: abort.signal });
      setState('on');
      // Only now is everything told that ends from now on.
      if (mayHaveMissed) onLost();
      mayHaveMissed = false;
      if (body === null) return;
      for await (const { event, data } of readEventStream(body)) {
        if (event === 'reset') onLost();
        if (event !== 'generation') continue;
        batch.push(JSON.parse(data) as ListRow);
        timer ??= setTimeout(flush, BATCH_MS);
      }
    } catch {
      // The line below tries again, unless it was meant to end.
    }
    if (abort.signal.aborted) return;
    setState('connecting');
    timer = setTimeout(() => {
      timer = undefined;
      mayHaveMissed = true;
      void connect();
    }, RETRY_MS);
  };
  void connect();
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}
