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
import {
  addUpGenerations,
  addUpSessions,
  countGenerations,
  pageOfGenerations,
  scanGenerations,
  sortGenerations,
} from './filter-generations.ts';
import { createGenerationActivity } from './generation-activity.ts';
import type { GenerationEntry, EntryVersion, NewEntry, GenerationOrigin } from './generation-entry.ts';
import { GenerationRows } from './generation-rows.ts';

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

/**
 * A segment with its smallest and its greatest id as text. Ids begin with their time, so nearly always only one segment
 * can have a given id.
 */
class IndexedSegment implements SegmentFacts {
  readonly name: SegmentName;
  readonly rows: GenerationRows;
  contentBytes = 0;
  /** The last day on which one of its generations began. */
  lastDay = '';
  private leastId = '';
  private greatestId = '';

  constructor(name: SegmentName) {
    this.name = name;
    this.rows = new GenerationRows(name);
  }

  get records(): number {
    return this.rows.count;
  }

  find(id: string): GenerationEntry | undefined {
    // Most often the id is newer than this segment.
    return id > this.greatestId || id < this.leastId ? undefined : this.rows.find(id);
  }

  add(entry: NewEntry): void {
    const { id, content, version } = entry;
    if (version.day > this.lastDay) this.lastDay = version.day;
    if (this.records === 0 || id < this.leastId) this.leastId = id;
    if (this.records === 0 || id > this.greatestId) this.greatestId = id;
    this.rows.add(entry);
    if (content !== null) this.contentBytes += content.length + 1;
  }
}

/** Creates an empty index (docs/decisions/0022). */
export function createGenerationIndex(): GenerationIndex {
  const spending = createSpendingBook();
  /** Oldest first. */
  let segments: readonly IndexedSegment[] = [];
  const activity = createGenerationActivity(() => segments.map(({ rows }) => rows));

  const addSegment = (name: SegmentName): IndexedSegment => {
    const known = segments.findLast((segment) => segment.name === name);
    if (known !== undefined) return known;
    const added = new IndexedSegment(name);
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
    find: (id) => findIn(segments, id),
    add(entry) {
      addSegment(entry.segment).add(entry);
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
        for (const [origin, costNanoUsd] of segment.rows.costs()) removed.add(toSpending(origin, costNanoUsd));
      }
      segments = segments.filter((segment) => !isThrough(segment.name, name));
      activity.reset();
      return removed;
    },
    removeContentThrough(name) {
      for (const segment of segments) {
        if (!isThrough(segment.name, name)) continue;
        segment.rows.forgetContent();
        segment.contentBytes = 0;
      }
    },
    page({ before, limit, filter }) {
      const cursor = before === undefined ? undefined : findIn(segments, before);
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
      for (const { name: each, rows } of segments) if (name === undefined || each === name) yield* rows.oldestFirst();
    },
  };
}

function findIn(segments: readonly IndexedSegment[], id: string): GenerationEntry | undefined {
  // The search starts with the newest segment, which holds most of the generations that are looked up.
  for (let at = segments.length - 1; at >= 0; at -= 1) {
    const entry = segments[at]?.find(id);
    if (entry !== undefined) return entry;
  }
  return undefined;
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
  for (const { name, rows, lastDay } of segments.toReversed()) {
    if (lastDay < since) continue;
    if (before === undefined || before.segment === name) yield* rows.newestFirst(before?.row);
    else if (compareSegments(name, before.segment) < 0) yield* rows.newestFirst();
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
