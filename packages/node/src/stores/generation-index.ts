import {
  type ActivityQuery,
  type ActivitySum,
  createSpendingBook,
  type GenerationFacets,
  type GenerationFilter,
  type GenerationPage,
  type GenerationQuery,
  type HistogramBucket,
  type HistogramQuery,
  type SpendingBook,
  type SpendingEntry,
} from '@model-gateway/core';
import { addUpGenerations, countGenerations, filterGenerations } from './filter-generations.ts';
import { createGenerationActivity } from './generation-activity.ts';
import { type Entry, type EntryVersion, recordOfEntry } from './generation-entry.ts';
import { isThrough, type SegmentName } from './segment-name.ts';

/** What retention needs to know of a segment. */
export interface SegmentFacts {
  readonly name: SegmentName;
  records: number;
  contentBytes: number;
}

/**
 * A segment with its generations by id. In one map of all, every look-up of a new id would wait for memory several times
 * over; and with the least and the greatest id, in the order of texts: ids begin with their time, so that nearly always
 * one segment alone can have an id.
 */
interface IndexedSegment extends SegmentFacts {
  readonly byId: Map<string, Entry>;
  leastId: string;
  greatestId: string;
}

/** Every generation by id and in order, with running sums. Holds no file and waits for nothing. */
export interface GenerationIndex {
  readonly size: number;
  readonly segments: ReadonlyMap<SegmentName, SegmentFacts>;
  /** What everybody has spent, on dropped records, too. */
  readonly spending: SpendingBook;
  /** Whether the id is taken, be it by a generation that is still being written. */
  has(id: string): boolean;
  /** A generation that has been written. */
  find(id: string): Entry | undefined;
  /** Takes the id for a generation that is about to be written; `settle` or `release` follows. */
  reserve(entry: Entry): void;
  release(entry: Entry): void;
  /** Adds one that was reserved as the newest. */
  settle(entry: Entry): void;
  /** Adds a generation as the newest. */
  add(entry: Entry): void;
  /** Puts a later version in place. */
  replace(entry: Entry, version: EntryVersion): void;
  addSegment(name: SegmentName): SegmentFacts;
  /** Forgets this segment and all older ones, their spending remembered; returns what they add up to. */
  removeThrough(name: SegmentName): SpendingBook;
  /** Forgets the content of this segment and of all older ones. */
  removeContentThrough(name: SegmentName): void;
  page(query: GenerationQuery): GenerationPage;
  histogram(query: HistogramQuery): Promise<readonly HistogramBucket[]>;
  facets(filter: GenerationFilter): Promise<GenerationFacets>;
  activity(query: ActivityQuery): Promise<readonly ActivitySum[]>;
  entries(): Iterable<Entry>;
}

/** Creates an empty index. */
export function createGenerationIndex(): GenerationIndex {
  const spending = createSpendingBook();
  const segments = new Map<SegmentName, IndexedSegment>();
  let order: Entry[] = [];
  const activity = createGenerationActivity(() => order);

  const findTaken = (id: string): Entry | undefined => {
    for (const { byId, leastId, greatestId } of segments.values()) {
      const entry = id < leastId || id > greatestId ? undefined : byId.get(id);
      if (entry !== undefined) return entry;
    }
    return undefined;
  };
  const find = (id: string): Entry | undefined => {
    const entry = findTaken(id);
    return entry === undefined || entry.position === -1 ? undefined : entry;
  };
  const addSegment = (name: SegmentName): IndexedSegment => {
    const known = segments.get(name);
    if (known !== undefined) return known;
    const added = { name, records: 0, contentBytes: 0, byId: new Map<string, Entry>(), leastId: '', greatestId: '' };
    segments.set(name, added);
    return added;
  };
  const reserve = (entry: Entry): void => {
    const { id } = entry;
    const segment = addSegment(entry.segment);
    if (segment.byId.size === 0 || id < segment.leastId) segment.leastId = id;
    if (segment.byId.size === 0 || id > segment.greatestId) segment.greatestId = id;
    segment.byId.set(id, entry);
  };

  const settle = (entry: Entry): void => {
    entry.position = order.length;
    order.push(entry);
    spending.add(spendingOf(entry));
    const facts = addSegment(entry.segment);
    facts.records += 1;
    if (entry.content !== null) facts.contentBytes += entry.content.length + 1;
  };

  return {
    get size() {
      return order.length;
    },
    segments,
    spending,
    has: (id) => findTaken(id) !== undefined,
    find,
    reserve,
    release: (entry) => void segments.get(entry.segment)?.byId.delete(entry.id),
    settle,
    add(entry) {
      reserve(entry);
      settle(entry);
    },
    replace(entry, version) {
      spending.subtract(spendingOf(entry));
      activity.changing(entry);
      Object.assign(entry, version);
      activity.changed(entry);
      spending.add(spendingOf(entry));
    },
    addSegment,
    removeThrough(name) {
      const removed = createSpendingBook();
      const kept: Entry[] = [];
      for (const entry of order) {
        if (isThrough(entry.segment, name)) {
          removed.add(spendingOf(entry));
          entry.position = -1;
        } else {
          entry.position = kept.length;
          kept.push(entry);
        }
      }
      order = kept;
      activity.reset();
      for (const segment of segments.keys()) if (isThrough(segment, name)) segments.delete(segment);
      return removed;
    },
    removeContentThrough(name) {
      for (const entry of order) if (isThrough(entry.segment, name)) entry.content = null;
      for (const facts of segments.values()) if (isThrough(facts.name, name)) facts.contentBytes = 0;
    },
    page: (query) => pageOf(order, find, query),
    histogram: (query) => addUpGenerations(order, query),
    facets: (filter) => countGenerations(order, filter),
    activity: activity.read,
    entries: () => order,
  };
}

function pageOf(
  order: readonly Entry[],
  find: (id: string) => Entry | undefined,
  query: GenerationQuery,
): GenerationPage {
  // A cursor that retention has removed leads nowhere: everything older is gone, too.
  const end = query.before === undefined ? order.length : (find(query.before)?.position ?? 0);
  if (query.filter !== undefined) return filterGenerations(order, { end, limit: query.limit, filter: query.filter });
  const start = Math.max(0, end - Math.max(0, query.limit));
  const records = order.slice(start, end).reverse().map(recordOfEntry);
  const oldest = order[start];
  return { records, next: start > 0 && start < end && oldest !== undefined ? oldest.id : null };
}

function spendingOf({ principalId, userId, workspaceId, costNanoUsd, day, isByok }: Entry): SpendingEntry {
  return {
    principalId,
    userId,
    workspaceId,
    day,
    creditsNanoUsd: isByok ? 0 : costNanoUsd,
    byokNanoUsd: isByok ? costNanoUsd : 0,
  };
}
