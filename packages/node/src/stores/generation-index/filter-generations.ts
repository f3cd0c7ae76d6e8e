import {
  addToHistogram,
  createFacetCount,
  createFirstGenerations,
  createHistogram,
  type GenerationFacets,
  type GenerationFilter,
  type GenerationPage,
  type GenerationRecord,
  type HistogramBucket,
  type HistogramQuery,
  matchesFilter,
  type SortedPage,
  type SortedQuery,
} from '@model-gateway/core';

import { dayAt } from '../journal/segment-name.ts';
import type { GenerationEntry } from './generation-entry.ts';

/** Number of generations that are read for a page, or in one turn, however many there are. */
const MAX_LOOKED_AT = 2000;
/** Number that may be skipped by their day alone, which takes some ten nanoseconds each. */
const MAX_PASSED_OVER = 50_000;

interface PageQuery {
  readonly limit: number;
  readonly filter?: GenerationFilter | undefined;
}

/** The first page of generations that come newest first and, with a filter, match it. */
export function pageOfGenerations(entries: Iterable<GenerationEntry>, { limit, filter }: PageQuery): GenerationPage {
  const lastDay = filter?.createdBeforeMs === undefined ? undefined : dayAt(filter.createdBeforeMs);
  const records: GenerationRecord[] = [];
  let lookedAt = 0;
  let passedOver = 0;
  let last: GenerationEntry | undefined;
  for (const entry of entries) {
    if (records.length >= limit || lookedAt >= MAX_LOOKED_AT || passedOver >= MAX_PASSED_OVER) {
      return { records, next: last?.id ?? null };
    }
    last = entry;
    if (filter === undefined) records.push(entry.readRecord());
    else if (lastDay !== undefined && entry.origin.day > lastDay) passedOver += 1;
    else {
      lookedAt += 1;
      if (isMatch(entry, filter)) records.push(entry.readRecord());
    }
  }
  return { records, next: null };
}

/** A page in another order; may miss what is added meanwhile. */
export async function sortGenerations(entries: Iterable<GenerationEntry>, query: SortedQuery): Promise<SortedPage> {
  const { filter } = query;
  const lastDay = filter?.createdBeforeMs === undefined ? undefined : dayAt(filter.createdBeforeMs);
  const first = createFirstGenerations<GenerationEntry>(query);
  await forEachInTurns(entries, (entry) => {
    if (lastDay !== undefined && entry.origin.day > lastDay) return;
    if (filter === undefined || isMatch(entry, filter)) first.add(entry.readFacts(), entry);
  });
  return first.read((entry) => entry.readRecord());
}

/** Adds up generations, newest first; may miss those that are added or removed meanwhile. */
export async function addUpGenerations(
  entries: Iterable<GenerationEntry>,
  query: HistogramQuery,
): Promise<readonly HistogramBucket[]> {
  const histogram = createHistogram(query);
  const lastDay = dayAt(query.startMs + query.bucketMs * query.buckets);
  await forEachInTurns(entries, (entry) => {
    if (entry.origin.day <= lastDay) {
      addToHistogram(histogram, entry.readFacts(), query, () => entry.readRecord());
    }
  });
  return histogram;
}

/** Counts by status, model, provider and principal, in the same way. */
export async function countGenerations(
  entries: Iterable<GenerationEntry>,
  filter: GenerationFilter,
): Promise<GenerationFacets> {
  const count = createFacetCount(filter);
  await forEachInTurns(entries, (entry) => count.add(entry.readFacts(), () => entry.readRecord()));
  return count.read();
}

const isMatch = (entry: GenerationEntry, filter: GenerationFilter): boolean =>
  matchesFilter(entry.readFacts(), filter, () => entry.readRecord());

async function forEachInTurns(
  entries: Iterable<GenerationEntry>,
  look: (entry: GenerationEntry) => void,
): Promise<void> {
  let lookedAt = 0;
  for (const entry of entries) {
    look(entry);
    lookedAt += 1;
    if (lookedAt % MAX_LOOKED_AT === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
