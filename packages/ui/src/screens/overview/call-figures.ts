import type { GenerationRow } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi, openApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import type { GenerationList } from '../../api/types.ts';

/** Number of calls that the share is computed from: one page of the list. */
const MAX_CALLS = 200;
const DAY_MS = 86_400_000;

type CacheFacts = Pick<GenerationRow, 'native_tokens_cached' | 'native_tokens_prompt' | 'status'>;

/** The part of the prompts that came from a cache, of those whose providers told; null without any. Failed calls do not count. */
export function toCachedShare(rows: readonly CacheFacts[]): number | null {
  let prompt = 0;
  let cached = 0;
  for (const row of rows) {
    if (row.status === 'failed' || row.native_tokens_cached === null || row.native_tokens_prompt === null) continue;
    prompt += row.native_tokens_prompt;
    cached += row.native_tokens_cached;
  }
  return prompt === 0 ? null : cached / prompt;
}

/** The share of the latest calls of the last 24 hours. */
export const cachedShareQuery = queryOptions({
  queryKey: ['generations', 'cached share'],
  refetchInterval: refreshEvery(60_000),
  queryFn: async ({ signal }) => {
    const fields = 'status,native_tokens_cached,native_tokens_prompt';
    const query = { from: new Date(Date.now() - DAY_MS).toISOString(), limit: MAX_CALLS, fields };
    return toCachedShare((await callApi<GenerationList<CacheFacts>>('/admin/v1/generations', { query, signal })).data);
  },
});

/** Calls to models that have not ended. */
export interface OpenCalls {
  readonly all: number;
  readonly streamed: number;
}

/** Reads the metrics; null where they do not tell. */
export function parseOpenCalls(metrics: string): OpenCalls | null {
  const read = (name: string): number | undefined => {
    const found = new RegExp(`^model_gateway_${name} (\\d+)$`, 'm').exec(metrics)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const all = read('open_calls');
  const streamed = read('open_streams');
  return all === undefined || streamed === undefined ? null : { all, streamed };
}

export const openCallsQuery = queryOptions({
  queryKey: ['open-calls'],
  refetchInterval: refreshEvery(10_000),
  retry: false,
  queryFn: async ({ signal }) => parseOpenCalls(await (await openApi('/metrics', { signal })).text()),
});
