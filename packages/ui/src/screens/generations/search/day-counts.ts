import type { GenerationHistogram } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi, type Query } from '../../../api/call-api.ts';
import { refreshEvery } from '../../../api/queries.ts';
import {
  type GenerationSearch,
  toGenerationQuery,
  withoutFilters,
} from '../../../features/generations/search/generation-search.ts';
import { DAY_MS, toDayEnd, toDayStart } from '../../../format/days.ts';
import { findFirst, NOT_COUNTED } from './generation-counts.ts';

/** The figures of a day of the user's clock. */
export interface DayCount extends Omit<GenerationHistogram['data'][number], 'start'> {
  /** Midnight. */
  readonly startMs: number;
  /** What was counted of it: all, but for a day at an end of the span that the filters leave. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Days of one length, one after the other. */
interface DayRun {
  readonly beginMs: number;
  readonly endMs: number;
  readonly days: number;
}

/** The most buckets that the gateway counts at once. */
const MAX_BUCKETS = 400;

/**
 * The days that a span touches. All buckets of a count are equally long, and the days on which clocks are changed are
 * not: each of these is counted by itself, so that no call near midnight is put on the wrong day.
 */
export function toDayRuns(fromMs: number, toMs: number): readonly DayRun[] {
  const runs: DayRun[] = [];
  let beginMs = toDayStart(fromMs);
  while (beginMs < toMs) {
    const endMs = toDayEnd(beginMs);
    const last = runs.at(-1);
    const isUsual = endMs - beginMs === DAY_MS;
    const goesOn = last !== undefined && last.endMs - last.beginMs === last.days * DAY_MS && last.days < MAX_BUCKETS;
    if (isUsual && goesOn) runs[runs.length - 1] = { ...last, endMs, days: last.days + 1 };
    else runs.push({ beginMs, endMs, days: 1 });
    beginMs = endMs;
  }
  return runs;
}

const REFRESH_MS = 30_000;

/** The requests that the filters leave, added up by day. Nothing is counted by text. */
export const daysQuery = (search: GenerationSearch) => {
  const filters = withoutFilters(search, NOT_COUNTED);
  return queryOptions({
    queryKey: ['generation-groups', filters, 'day'],
    refetchInterval: refreshEvery(REFRESH_MS),
    queryFn: ({ signal }) => countDays(filters, signal),
  });
};

/** Counts by day, from the day of the first of them on. */
async function countDays(search: GenerationSearch, signal: AbortSignal): Promise<readonly DayCount[]> {
  const query = toGenerationQuery(search, Date.now());
  const firstMs = await findFirst(query, signal);
  if (firstMs === null) return [];
  const fromMs = query['from'] === undefined ? toDayStart(firstMs) : Date.parse(query['from']);
  const toMs = query['to'] === undefined ? toDayEnd(Date.now()) : Date.parse(query['to']);
  const runs = toDayRuns(firstMs, toMs);
  return (await Promise.all(runs.map((run) => countRun(query, run, { fromMs, toMs }, signal)))).flat();
}

async function countRun(
  filters: Query,
  { beginMs, endMs, days }: DayRun,
  span: Pick<DayCount, 'fromMs' | 'toMs'>,
  signal: AbortSignal,
): Promise<DayCount[]> {
  const toIso = (ms: number): string => new Date(ms).toISOString();
  const query = {
    ...filters,
    from: toIso(Math.max(span.fromMs, beginMs)),
    to: toIso(Math.min(span.toMs, endMs)),
    begin: toIso(beginMs),
    end: toIso(endMs),
    buckets: days,
  };
  const counted = await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal });
  return counted.data.map(({ start, ...figures }) => {
    const startMs = Date.parse(start);
    const fromMs = Math.max(startMs, span.fromMs);
    return { ...figures, startMs, fromMs, toMs: Math.min(startMs + counted.bucket_ms, span.toMs) };
  });
}
