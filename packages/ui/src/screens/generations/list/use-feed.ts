import { useEffect, useEffectEvent, useState } from 'react';

import { openApi } from '../../../api/call-api.ts';
import { readEventStream } from '../../../api/read-stream.ts';
import { type ListRow, ROW_QUERY, toListRow } from '../../../features/generations/list/list-row.ts';

/** Ended calls are passed on at most ten times a second, however many there are. */
const BATCH_MS = 100;
const RETRY_MS = 3000;

export type FeedState = 'off' | 'connecting' | 'on';

/**
 * Follows what ends while `isOn` and the page is in sight. `onLost` is called when something may have been missed:
 * after a break, or after the page was hidden.
 */
export function useFeed(isOn: boolean, onEnded: (rows: readonly ListRow[]) => void, onLost: () => void): FeedState {
  const [state, setState] = useState<FeedState>('off');
  const tellEnded = useEffectEvent(onEnded);
  const tellLost = useEffectEvent(onLost);
  useEffect(() => {
    if (!isOn) return;
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
  }, [isOn]);
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
        batch.push(toListRow(JSON.parse(data) as ListRow));
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
