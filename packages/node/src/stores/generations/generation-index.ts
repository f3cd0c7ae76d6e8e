import {
  type ActivityQuery,
  type ActivitySum,
  createSpendingBook,
  type GenerationFacets,
  type GenerationFilter,
  type GenerationHistogram,
  type GenerationPage,
  type GenerationQuery,
  type GenerationRepository,
  type HistogramQuery,
  type SessionPage,
  type SessionQuery,
  type SortedPage,
  type SortedQuery,
  type SpendingBook,
  type SpendingEntry,
} from '@model-gateway/core';

import { compareSegments, dayAt, isThrough, type SegmentName } from '../log/segment-name.ts';
import { createGenerationActivity } from './generation-activity.ts';
import {
  createSharedValues,
  type EntryVersion,
  GenerationEntry,
  type GenerationOrigin,
  type NewEntry,
} from './generation-entry.ts';
import {
  addUpGenerations,
  addUpSessions,
  countGenerations,
  pageOfGenerations,
  scanGenerations,
  sortGenerations,
} from './query.ts';

/** Facts about a segment that retention requires. */
export interface SegmentFacts {
  readonly name: SegmentName;
  readonly records: number;
  contentBytes: number;
}

/** Every generation by id and in order, with running sums. Does no I/O. */
export interface GenerationIndex {
  readonly size: number;
  /** Oldest first. */
  readonly segments: readonly SegmentFacts[];
  /** Spending of all principals, including that of dropped records. */
  readonly spending: SpendingBook;
  find(id: string): GenerationEntry | undefined;
  /** Adds a generation as the newest of its segment. Its id must not be there yet. */
  add(entry: NewEntry): void;
  replace(entry: GenerationEntry, version: EntryVersion): void;
  addSegment(name: SegmentName): SegmentFacts;
  /** Removes this segment and all older ones, but not their spending; returns the sum of that spending. */
  removeThrough(name: SegmentName): SpendingBook;
  /** Removes the content of this segment and of all older ones. */
  removeContentThrough(name: SegmentName): void;
  page(query: GenerationQuery): GenerationPage;
  sorted(query: SortedQuery): Promise<SortedPage>;
  sessions(query: SessionQuery): Promise<SessionPage>;
  histogram(query: HistogramQuery): Promise<GenerationHistogram>;
  readonly scan: GenerationRepository['scan'];
  facets(filter: GenerationFilter): Promise<GenerationFacets>;
  activity(query: ActivityQuery): Promise<readonly ActivitySum[]>;
  /** All generations. */
  newestFirst(): Iterable<GenerationEntry>;
  /** All generations, or those of a segment, in the order of writing. */
  entries(segment?: SegmentName): Iterable<GenerationEntry>;
}

/** The generations of a segment, in the order of writing. */
export interface IndexedSegment extends SegmentFacts {
  readonly entries: readonly GenerationEntry[];
  /** The last day on which one of its generations began. */
  readonly lastDay: string;
  add(entry: NewEntry): GenerationEntry;
}

function createSegment(name: SegmentName): IndexedSegment {
  const entries: GenerationEntry[] = [];
  const shared = createSharedValues();
  let lastDay = '';
  const segment = {
    name,
    entries,
    contentBytes: 0,
    get records() {
      return entries.length;
    },
    get lastDay() {
      return lastDay;
    },
    add(added: NewEntry) {
      const entry = new GenerationEntry(added, entries.length, shared);
      entries.push(entry);
      if (entry.origin.day > lastDay) lastDay = entry.origin.day;
      if (added.content !== null) segment.contentBytes += added.content.length + 1;
      return entry;
    },
  };
  return segment;
}

/** Creates an empty index (docs/decisions/0058). */
export function createGenerationIndex(): GenerationIndex {
  const spending = createSpendingBook();
  /** Oldest first. */
  let segments: readonly IndexedSegment[] = [];
  const byId = new Map<string, GenerationEntry>();
  const activity = createGenerationActivity(() => segments);

  const addSegment = (name: SegmentName): IndexedSegment => {
    const known = segments.findLast((segment) => segment.name === name);
    if (known !== undefined) return known;
    const added = createSegment(name);
    segments = [...segments, added].sort((left, right) => compareSegments(left.name, right.name));
    return added;
  };

  return {
    get size() {
      return segments.reduce((sum, { records }) => sum + records, 0);
    },
    get segments() {
      return segments;
    },
    spending,
    find: (id) => byId.get(id),
    add(entry) {
      byId.set(entry.id, addSegment(entry.segment).add(entry));
      spending.add(toSpending(entry.version, entry.version.costNanoUsd));
    },
    replace(entry, version) {
      spending.subtract(toSpending(entry.origin, entry.costNanoUsd));
      activity.changing(entry);
      entry.replace(version);
      activity.changed(entry);
      spending.add(toSpending(version, version.costNanoUsd));
    },
    addSegment,
    removeThrough(name) {
      const removed = createSpendingBook();
      for (const segment of segments) {
        if (!isThrough(segment.name, name)) continue;
        for (const { id, origin, costNanoUsd } of segment.entries) {
          removed.add(toSpending(origin, costNanoUsd));
          byId.delete(id);
        }
      }
      segments = segments.filter((segment) => !isThrough(segment.name, name));
      activity.reset();
      return removed;
    },
    removeContentThrough(name) {
      for (const segment of segments) {
        if (!isThrough(segment.name, name)) continue;
        for (const entry of segment.entries) entry.content = null;
        segment.contentBytes = 0;
      }
    },
    page({ before, limit, filter }) {
      const cursor = before === undefined ? undefined : byId.get(before);
      // When retention has removed the cursor, everything older was removed with it.
      if (before !== undefined && cursor === undefined) return { records: [], next: null };
      const entries = newestFirst(segments, filter?.createdFromMs, cursor);
      return pageOfGenerations(entries, { limit, filter });
    },
    sessions: (query) => addUpSessions(newestFirst(segments, undefined), query),
    sorted: (query) => sortGenerations(newestFirst(segments, query.filter?.createdFromMs), query),
    histogram: (query) => addUpGenerations(newestFirst(segments, query.startMs), query),
    scan: (span, look) => scanGenerations(newestFirst(segments, span.fromMs), span, look),
    facets: (filter) => countGenerations(newestFirst(segments, filter.createdFromMs), filter),
    activity: activity.read,
    newestFirst: () => newestFirst(segments, undefined),
    *entries(name) {
      for (const { name: each, entries } of segments) if (name === undefined || each === name) yield* entries;
    },
  };
}

/**
 * Entries written before an entry, or all, newest first; leaves out segments of which all began before the day of
 * `sinceMs`. That goes by what they hold and not by their names: the first calls of a day are in the segment of the day
 * before, and so are all when the files of a new one could not be opened.
 */
function* newestFirst(
  segments: readonly IndexedSegment[],
  sinceMs: number | undefined,
  before?: GenerationEntry,
): Generator<GenerationEntry> {
  const since = sinceMs === undefined ? '' : dayAt(sinceMs);
  for (const { name, entries, lastDay } of segments.toReversed()) {
    if (lastDay < since || (before !== undefined && compareSegments(name, before.segment) > 0)) continue;
    const end = before?.segment === name ? before.row : entries.length;
    for (let row = end - 1; row >= 0; row -= 1) yield entries[row] as GenerationEntry;
  }
}

function toSpending(
  { principalId, userId, workspaceId, day, isByok }: GenerationOrigin,
  costNanoUsd: number,
): SpendingEntry {
  return {
    principalId,
    userId,
    workspaceId,
    day,
    creditsNanoUsd: isByok ? 0 : costNanoUsd,
    byokNanoUsd: isByok ? costNanoUsd : 0,
  };
}
