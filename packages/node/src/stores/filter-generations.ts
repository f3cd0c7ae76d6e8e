import {
  addToHistogram,
  createFacetCount,
  createHistogram,
  type GenerationFacets,
  type GenerationFilter,
  type GenerationPage,
  type GenerationRecord,
  type HistogramBucket,
  type HistogramQuery,
  matchesFilter,
} from '@model-gateway/core';
import { type Entry, factsOfEntry, recordOfEntry } from './generation-entry.ts';

/** How many are looked at for a page, or in one turn, however many there are. */
const MAX_LOOKED_AT = 2000;
/** How many may be passed over by their day alone, which takes a few nanoseconds each. */
const MAX_PASSED_OVER = 50_000;

interface FilteredPage {
  /** The page begins below this position. */
  readonly end: number;
  readonly limit: number;
  readonly filter: GenerationFilter;
}

/** The next page of what a filter chooses, newest first. */
export function filterGenerations(order: readonly Entry[], { end, limit, filter }: FilteredPage): GenerationPage {
  const { createdFromMs, createdBeforeMs } = filter;
  const start = createdFromMs === undefined ? 0 : firstWrittenOn(order, createdFromMs);
  const lastDay = createdBeforeMs === undefined ? undefined : dayAt(createdBeforeMs);
  const records: GenerationRecord[] = [];
  let lookedAt = 0;
  let passedOver = 0;
  for (let at = end - 1; at >= start; at -= 1) {
    const entry = order[at];
    if (entry === undefined) break;
    if (lastDay !== undefined && entry.day > lastDay) passedOver += 1;
    else {
      lookedAt += 1;
      if (matchesFilter(factsOfEntry(entry), filter)) records.push(recordOfEntry(entry));
    }
    if (records.length >= limit || lookedAt >= MAX_LOOKED_AT || passedOver >= MAX_PASSED_OVER) {
      return { records, next: at > start ? entry.id : null };
    }
  }
  return { records, next: null };
}

/** Goes through what was written from the first moment on; what comes or goes meanwhile may be missed. */
export async function addUpGenerations(
  order: readonly Entry[],
  query: HistogramQuery,
): Promise<readonly HistogramBucket[]> {
  const histogram = createHistogram(query);
  const start = firstWrittenOn(order, query.startMs);
  const lastDay = dayAt(query.startMs + query.bucketMs * query.buckets);
  for (let at = order.length - 1; at >= start; at -= 1) {
    const entry = order[at];
    if (entry !== undefined && entry.day <= lastDay) addToHistogram(histogram, factsOfEntry(entry), query);
    if ((order.length - at) % MAX_LOOKED_AT === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return histogram;
}

/** Counts by status, model, provider and principal, in the same way. */
export async function countGenerations(order: readonly Entry[], filter: GenerationFilter): Promise<GenerationFacets> {
  const count = createFacetCount(filter);
  const start = filter.createdFromMs === undefined ? 0 : firstWrittenOn(order, filter.createdFromMs);
  for (let at = order.length - 1; at >= start; at -= 1) {
    const entry = order[at];
    if (entry !== undefined) count.add(factsOfEntry(entry));
    if ((order.length - at) % MAX_LOOKED_AT === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return count.read();
}

/** The first position that was written on the day of this moment, or later: segments are named by their days. */
function firstWrittenOn(order: readonly Entry[], ms: number): number {
  const day = dayAt(ms);
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle]?.segment.slice(0, 10) ?? '') < day) low = middle + 1;
    else high = middle;
  }
  return low;
}

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
