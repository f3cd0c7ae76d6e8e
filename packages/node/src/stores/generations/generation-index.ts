import {
  type ActivityQuery,
  type ActivitySum,
  createActivityBook,
  createSpendingBook,
  createTurns,
  type GenerationPage,
  type GenerationQuery,
  type GenerationRepository,
  type SpendingBook,
  type SpendingEntry,
} from '@model-gateway/core';

import { nextTurn } from '../../node-timers.ts';
import { compareSegments, dayAt, isThrough, type SegmentName } from '../log/segment-name.ts';
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
  /** The last day on which one of its generations began; empty without any. */
  readonly lastDay: string;
  contentBytes: number;
}

/** What the repository of generations answers from the index alone. */
type GenerationQueries = Pick<
  GenerationRepository,
  'sorted' | 'sessions' | 'histogram' | 'scan' | 'facets' | 'activity'
> & { page(query: GenerationQuery): GenerationPage };

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
  readonly queries: GenerationQueries;
  /** All generations. */
  newestFirst(): Iterable<GenerationEntry>;
  /** All generations, or those of a segment, in the order of writing. */
  entries(segment?: SegmentName): Iterable<GenerationEntry>;
}

/** The generations of a segment, in the order of writing. */
interface IndexedSegment extends SegmentFacts {
  readonly entries: readonly GenerationEntry[];
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

/** Creates an empty index (docs/decisions/0057). */
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
      spending.add(toSpending(entry.version, entry.version));
    },
    replace(entry, version) {
      spending.subtract(toSpending(entry.origin, entry));
      activity.changing(entry);
      entry.replace(version);
      activity.changed(entry);
      spending.add(toSpending(version, version));
    },
    addSegment,
    removeThrough(name) {
      const removed = createSpendingBook();
      for (const segment of segments) {
        if (!isThrough(segment.name, name)) continue;
        for (const entry of segment.entries) {
          const { id, origin } = entry;
          removed.add(toSpending(origin, entry));
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
    queries: {
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
    },
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
  { costNanoUsd, feeNanoUsd = 0 }: Pick<EntryVersion, 'costNanoUsd' | 'feeNanoUsd'>,
): SpendingEntry {
  return {
    principalId,
    userId,
    workspaceId,
    day,
    creditsNanoUsd: isByok ? feeNanoUsd : costNanoUsd,
    byokNanoUsd: isByok ? costNanoUsd - feeNanoUsd : 0,
  };
}

/** Number of records that are read in one turn, which takes a few milliseconds, or skipped by their day. */
const MAX_READ = 500;
const MAX_PASSED_OVER = 50_000;

/** Sums of generations' activity, computed on request: first over all generations, later over new ones only. */
interface GenerationActivity {
  read(query: ActivityQuery): Promise<readonly ActivitySum[]>;
  /** Must be called before an entry is changed; `changed` must be called after that. */
  changing(entry: GenerationEntry): void;
  changed(entry: GenerationEntry): void;
  /** Must be called after segments were removed: the next request adds up everything again. */
  reset(): void;
}

/** Creates the sums over the segments that `segments` returns at any time. */
function createGenerationActivity(segments: () => readonly IndexedSegment[]): GenerationActivity {
  let book = createActivityBook();
  /** The first day in the book; undefined until the first request. */
  let since: string | undefined;
  /** Number of the first rows of each segment that have been added up, if their day is in the book. */
  const counted = new Map<SegmentName, number>();
  /** A request for a shorter time forgets the days before it, which one for a longer time may be adding up. */
  const inTurn = createTurns();

  const countedOf = (segment: SegmentName): number => counted.get(segment) ?? 0;
  const reset = (): void => {
    book = createActivityBook();
    since = undefined;
    counted.clear();
  };
  const isCounted = ({ segment, row, origin }: GenerationEntry): boolean =>
    since !== undefined && row < countedOf(segment) && origin.day >= since;
  const beginAt = (day: string): void => {
    if (since === undefined || day < since) reset();
    else if (day > since) book.forgetBefore(day);
    since = day;
  };
  const readSince = async (day: string): Promise<readonly ActivitySum[]> => {
    beginAt(day);
    // Found again after every turn, because a `reset` may have emptied the book meanwhile.
    for (;;) {
      const segment = segments().find(({ name, entries }) => countedOf(name) < entries.length);
      if (segment === undefined) break;
      const end = addTurn(segment, countedOf(segment.name), (entry) => {
        if (entry.origin.day < (since ?? day)) return false;
        book.add(entry.readRecord());
        return true;
      });
      counted.set(segment.name, end);
      await nextTurn();
    }
    return book.sums().filter(({ date }) => date >= day);
  };

  return {
    read: ({ since: day, principalIds }) =>
      principalIds === undefined ? inTurn(() => readSince(day)) : addUp(segments(), day, principalIds),
    changing(entry) {
      if (isCounted(entry)) book.subtract(entry.readRecord());
    },
    changed(entry) {
      if (isCounted(entry)) book.add(entry.readRecord());
    },
    reset,
  };
}

/** The same sums for some principals only; these are not stored. */
async function addUp(
  segments: readonly IndexedSegment[],
  since: string,
  principalIds: ReadonlySet<string>,
): Promise<readonly ActivitySum[]> {
  const book = createActivityBook();
  for (const segment of segments) {
    let row = 0;
    while (row < segment.entries.length) {
      row = addTurn(segment, row, (entry) => {
        const { day, principalId } = entry.origin;
        if (day < since || !principalIds.has(principalId)) return false;
        book.add(entry.readRecord());
        return true;
      });
      await nextTurn();
    }
  }
  return book.sums();
}

/** Adds up rows for one turn; returns the first row of the next. `add` returns whether it has read the entry. */
function addTurn({ entries }: IndexedSegment, from: number, add: (entry: GenerationEntry) => boolean): number {
  const end = Math.min(entries.length, from + MAX_PASSED_OVER);
  let read = 0;
  for (let row = from; row < end; row += 1) {
    if (add(entries[row] as GenerationEntry)) read += 1;
    if (read >= MAX_READ) return row + 1;
  }
  return end;
}
