import type { GenerationRow } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi, openApi } from '../../api/call-api.ts';
import type { GenerationList } from '../../api/types.ts';
import { toFirstTokenMs } from '../generations/first-token.ts';

/** How many calls the pace is computed from: what one page of the list holds. */
export const MAX_CALLS = 200;
const DAY_MS = 86_400_000;

/** How fast completions came, and how much of the prompts came from a cache. Null where no call tells. */
export interface Pace {
  readonly calls: number;
  readonly firstTokenMs: { readonly median: number; readonly p95: number } | null;
  /** Between 0 and 1, of the prompts whose providers told. */
  readonly cachedShare: number | null;
}

type PaceFacts = Pick<
  GenerationRow,
  'latency' | 'native_tokens_cached' | 'native_tokens_prompt' | 'status' | 'streamed' | 'tokens_completion'
>;

/** Pace of calls. Failed calls do not count. */
export function toPace(rows: readonly PaceFacts[]): Pace {
  const successful = rows.filter(({ status }) => status !== 'failed');
  const latencies = successful.flatMap((row) => toFirstTokenMs(row) ?? []).toSorted((a, b) => a - b);
  let prompt = 0;
  let cached = 0;
  for (const row of successful) {
    if (row.native_tokens_cached === null || row.native_tokens_prompt === null) continue;
    prompt += row.native_tokens_prompt;
    cached += row.native_tokens_cached;
  }
  const median = percentile(latencies, 0.5);
  const p95 = percentile(latencies, 0.95);
  return {
    calls: rows.length,
    firstTokenMs: median === undefined || p95 === undefined ? null : { median, p95 },
    cachedShare: prompt === 0 ? null : cached / prompt,
  };
}

/** The smallest value that is not below that part of them; they rise. */
const percentile = (values: readonly number[], part: number): number | undefined =>
  values[Math.max(0, Math.ceil(values.length * part) - 1)];

/** The pace of the latest calls of the last 24 hours. */
export const paceQuery = queryOptions({
  queryKey: ['generations', 'pace'],
  refetchInterval: 60_000,
  queryFn: async ({ signal }) => {
    const query = { from: new Date(Date.now() - DAY_MS).toISOString(), limit: MAX_CALLS };
    return toPace((await callApi<GenerationList>('/admin/v1/generations', { query, signal })).data);
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
  refetchInterval: 10_000,
  retry: false,
  queryFn: async ({ signal }) => parseOpenCalls(await (await openApi('/metrics', { signal })).text()),
});
