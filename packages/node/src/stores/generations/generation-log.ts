import {
  feeNanoUsdOf,
  type GenerationRecord,
  type GenerationRepository,
  isLongContent,
  isLongJson,
  type KeptDays,
  type Platform,
  type RetentionChanges,
  type SpendingBook,
  type StoredContent,
  toContentJson,
  toPreview,
} from '@model-gateway/core';

import { errorReason } from '../files/file-system.ts';
import { dayAt, isThrough, nextSegment, type SegmentName } from '../log/segment-name.ts';
import type { RetentionClock } from '../retention-clock.ts';
import { compactSegment } from './compaction.ts';
import { type BlockWriter, createBlockWriter } from './content-blocks.ts';
import { type ContentReader, createContentReader, settleLostContent } from './content.ts';
import type { EntryVersion, GenerationEntry } from './generation-entry.ts';
import type { GenerationIndex, SegmentFacts } from './generation-index.ts';
import {
  type CarriedForward,
  carriedLine,
  contentDeletedLine,
  contentHead,
  type ContentReference,
  dayOfGeneration,
  generationLine,
  recordHead,
  toGenerationText,
  updateLine,
} from './generation-lines.ts';
import {
  type GenerationBatch,
  type Journal,
  type JournalOptions,
  openJournal,
  putContent,
  putMetadata,
  type SegmentStart,
} from './generation-segments.ts';
import { currentContentFile, loadGenerations, type LoadOptions } from './load-generations.ts';
import { type RetentionLimits, segmentLimits, startRetention } from './retention.ts';

/** Parts that the log requires. `logsPath` exists and belongs to this process. */
export interface GenerationLogOptions extends LoadOptions, Pick<Platform, 'monotonicNow' | 'setTimer'> {
  readonly limits: RetentionLimits;
  readonly keptDays: () => KeptDays;
  readonly retentionClock: RetentionClock;
}

/** What the log has part in. What comes from other stores is not in it. */
type GenerationLogRepository = Omit<GenerationRepository, 'listSpending' | 'carrySpending'>;

/** Generations on disk. The caller that opened them closes them. */
interface GenerationLog {
  readonly repository: GenerationLogRepository;
  /** What the repository says was spent. */
  readonly spending: SpendingBook;
  /** Number of generations at start. */
  readonly loaded: number;
  readonly retention: Pick<RetentionChanges, 'apply' | 'preview'>;
  /** Drops made-up generations: those of a segment and of all before it. Rejects when it is still written to. */
  discardThrough(segment: SegmentName): Promise<void>;
  /** Writes and syncs what is pending; rejects when something may not be durable. */
  close(): Promise<void>;
}

/** Opens the generations of a directory: reads and repairs them, compacts, and applies the limits. */
export async function openGenerationLog(options: GenerationLogOptions): Promise<GenerationLog> {
  const { index, carried, withDeletedContent, beyondEnd } = await loadGenerations(options);
  const loaded = index.size;
  const reader = createContentReader({ ...options, index });
  for (const segment of withDeletedContent) await compactLog(options, { index, reader, segment });

  const blocks = createBlockWriter();
  // A file that is named by a clock that is ahead would be kept until that day comes, with all that follow it.
  const { now } = options.retentionClock;
  const journal = await openJournal<Operation>(await chooseStart(options, index, carried), {
    ...options,
    now,
    systemNow: options.now,
    segmentLimits: segmentLimits(options.limits),
    encode: createEncoder(index, blocks),
    commit(operation) {
      blocks.commit();
      commitOperations(index, operation);
    },
    rolled: () => void index.addSegment(journal.active.name),
    // Called after a batch was written at the earliest, when `retention` exists.
    retired: () => retention.look(),
  });
  index.addSegment(journal.active.name);
  const retention = startRetention<Operation>({
    ...options,
    index,
    journal,
    carried,
    toOperation: (next) => ({ type: 'carry', carried: next }),
  });
  await retention.settled();
  const toOperation = (entry: GenerationEntry): Operation => ({ type: 'delete-content', entry, isLost: true });
  await settleLostContent({ ...options, reader, journal, toOperation }, beyondEnd);

  const queries = watchQueries(index.queries);
  const stopWarming = startWarming({ ...options, entries: index.newestFirst, wereAsked: queries.takeAsked });

  return {
    repository: {
      ...createRepository({ index, reader, journal }),
      ...queries.watched,
      completeFromMs: retention.completeFromMs,
    },
    spending: index.spending,
    loaded,
    retention,
    discardThrough: retention.discardThrough,
    async close() {
      stopWarming();
      retention.stop();
      await retention.settled();
      await journal.close();
    },
  };
}

async function compactLog(
  options: GenerationLogOptions,
  target: { readonly index: GenerationIndex; readonly reader: ContentReader; readonly segment: SegmentName },
): Promise<void> {
  try {
    await compactSegment({ ...options, ...target }, target.segment);
  } catch (error) {
    options.logger?.warn('Deleted content could not be removed from the disk yet; the next start tries again', {
      segment: target.segment,
      reason: errorReason(error),
    });
  }
}

/** Continues the newest segment if that is of today or empty; otherwise begins one after all that ever existed. */
async function chooseStart(
  options: GenerationLogOptions,
  index: GenerationIndex,
  { droppedThrough }: CarriedForward,
): Promise<SegmentStart> {
  const newest = index.segments.at(-1);
  const last = newest === undefined || isThrough(newest.name, droppedThrough) ? droppedThrough : newest.name;
  const next = nextSegment(last, options.retentionClock.now());
  // When the next segment is a further part of the same day, the last one is of today, or of a clock that was ahead.
  const isSameDay = last !== null && next.slice(0, 10) === last.slice(0, 10);
  const isContinued = isSameDay && last === newest?.name && isOfDay(newest, dayAt(options.now()));
  const name = isContinued ? last : next;
  const lines = index.segments.find((segment) => segment.name === name)?.records ?? 0;
  return { name, contentFile: await currentContentFile(options, name), lines };
}

/**
 * Whether a segment is of this day of the clock that dates calls. Its name is behind the days of its calls where the clock
 * of retention was held, and ahead of them where a clock was ahead; a segment that goes on has one day in both cases.
 */
function isOfDay({ name, records, lastDay }: SegmentFacts, today: string): boolean {
  return records === 0 || lastDay === today || name.slice(0, 10) === today;
}

interface GenerationLogParts {
  readonly index: GenerationIndex;
  readonly reader: ContentReader;
  readonly journal: Journal<Operation>;
}

function createRepository({ index, reader, journal }: GenerationLogParts): GenerationLogRepository {
  return {
    // Not an async function: the operation's promise is enough.
    append: (record, content) => journal.append({ type: 'add', record, content, written: null }),
    async update(record) {
      const entry = index.find(record.generation.id);
      if (entry === undefined) return false;
      await journal.append({ type: 'replace', entry, record, text: '' });
      return true;
    },
    get(id) {
      return index.find(id)?.readRecord();
    },
    getContent(id) {
      const entry = index.find(id);
      return entry === undefined || entry.content === null ? undefined : reader.read(entry);
    },
    getPreview(id) {
      const entry = index.find(id);
      return entry === undefined || entry.content === null ? undefined : reader.readPreview(entry);
    },
    async deleteContent(id) {
      const entry = index.find(id);
      if (entry === undefined || entry.content === null) return false;
      await journal.append({ type: 'delete-content', entry, isLost: false });
      return true;
    },
    ...index.queries,
    count: () => index.size,
    spentNanoUsd: index.spending.totalNanoUsd,
    spent: index.spending.spent,
  };
}

/** Operations that are written to the journal and then applied to the index. */
type Operation =
  | {
      readonly type: 'add';
      readonly record: GenerationRecord;
      readonly content: StoredContent | null;
      /** Set once its lines are in their batch. */
      written: {
        readonly text: string;
        readonly segment: SegmentName;
        readonly content: ContentReference | null;
      } | null;
    }
  | { readonly type: 'replace'; readonly entry: GenerationEntry; readonly record: GenerationRecord; text: string }
  | { readonly type: 'delete-content'; readonly entry: GenerationEntry; readonly isLost: boolean }
  | { readonly type: 'carry'; readonly carried: CarriedForward };

/** Creates the function that encodes operations as lines. It refuses generations whose id exists. */
function createEncoder(index: GenerationIndex, blocks: BlockWriter): JournalOptions<Operation>['encode'] {
  let batch: GenerationBatch | undefined;
  /** Ids of this batch. A set for all batches would leave its old tables to the full garbage collection. */
  let ids = new Set<string>();
  return (operation, lines) => {
    if (lines !== batch) ids = new Set();
    batch = lines;
    switch (operation.type) {
      case 'add': {
        const { id } = operation.record.generation;
        // Operations that were written before this batch are in the index by now.
        if (ids.has(id) || index.find(id)) throw new Error(`A generation with the id ${id} exists already`);
        putGeneration(operation, lines, blocks);
        ids.add(id);
        return;
      }
      case 'replace': {
        const { record, entry } = operation;
        operation.text = toGenerationText(record.generation);
        return putMetadata(lines, updateLine(recordHead(record, null), operation.text, entry.segment));
      }
      case 'delete-content':
        return putMetadata(lines, contentDeletedLine(operation.entry.id, operation.isLost));
      case 'carry':
        return putMetadata(lines, carriedLine(operation.carried));
    }
  };
}

function putGeneration(
  operation: Operation & { readonly type: 'add' },
  lines: GenerationBatch,
  blocks: BlockWriter,
): void {
  const { record, content } = operation;
  const segment = lines.segment.name;
  const text = toGenerationText(record.generation);
  const head = recordHead(record, segment);
  // Where a long text cannot be read again, this throws before the line of the content is added; nothing throws after it.
  const place = content === null ? null : putWithBlocks(record, content, { lines, blocks });
  putMetadata(lines, generationLine(head, place), text, '}');
  operation.written = { text, segment, content: place };
}

function putWithBlocks(
  { generation: { id, workspace_id: workspace } }: GenerationRecord,
  content: StoredContent,
  { lines, blocks }: { readonly lines: GenerationBatch; readonly blocks: BlockWriter },
): ContentReference {
  const whole = toContentJson(content);
  const isPacked = typeof whole === 'string' ? isLongJson(whole.length) : isLongContent(content);
  const json = isPacked ? toContentJson(content, blocks.putInto(lines, workspace ?? '')) : whole;
  return putContent(lines, contentHead(id, toPreview(content), isPacked), json, '}');
}

/** Applies an operation that was written to the index. */
function commitOperations(index: GenerationIndex, operation: Operation): void {
  switch (operation.type) {
    case 'add':
      return addWritten(index, operation);
    case 'replace':
      return index.replace(operation.entry, versionOf(operation.record, operation.text));
    case 'delete-content':
      operation.entry.content = null;
      return;
    case 'carry':
  }
}

function addWritten(index: GenerationIndex, { record, written }: Operation & { readonly type: 'add' }): void {
  if (written === null) throw new Error('A generation was committed that had not been written');
  const { text, segment, content } = written;
  index.add({ id: record.generation.id, segment, version: versionOf(record, text), content });
}

function versionOf({ generation, principalId, userId, costNanoUsd }: GenerationRecord, text: string): EntryVersion {
  return {
    principalId,
    userId,
    workspaceId: generation.workspace_id ?? undefined,
    costNanoUsd,
    feeNanoUsd: feeNanoUsdOf(generation),
    day: dayOfGeneration(generation),
    isByok: generation.is_byok,
    text,
  };
}

/** Charts and sorted lists, which read the facts of all generations. `takeAsked` tells whether any was asked since. */
function watchQueries({ sorted, sessions, histogram, facets }: GenerationIndex['queries']) {
  let asked = false;
  const watch =
    <Query, Found>(read: (query: Query) => Found) =>
    (query: Query): Found => {
      asked = true;
      return read(query);
    };
  return {
    watched: { sorted: watch(sorted), sessions: watch(sessions), histogram: watch(histogram), facets: watch(facets) },
    takeAsked(): boolean {
      const were = asked;
      asked = false;
      return were;
    },
  };
}

export interface WarmingOptions extends Pick<Platform, 'monotonicNow' | 'setTimer'> {
  /** All generations, newest first. */
  readonly entries: () => Iterable<GenerationEntry>;
  /** Whether anybody has asked for a chart or a sorted list since this was called last. */
  readonly wereAsked: () => boolean;
}

/** The process listens by then, and the calls that waited for that have been served. */
const FIRST_MS = 500;
/** Read in one turn: a millisecond. */
const READ_IN_A_TURN = 200;
const PASSED_IN_A_TURN = 10_000;
const BETWEEN_MS = 4;
/** A timer that is later than this has waited for other work. */
const LATE_MS = 5;
const BUSY_MS = 250;
/** From the end of a round to the next, which reads what has been recorded since. */
const REST_MS = 5 * 60 * 1000;

/**
 * Reads the facts of all generations, newest first, while the process has nothing else to do: the first chart after a
 * start would have to read them at once, which takes half a second for 100,000. Later rounds are for those who look at
 * charts: facts take as much memory as the record. Returns what ends it.
 */
export function startWarming({ entries, wereAsked, setTimer, monotonicNow }: WarmingOptions): () => void {
  let left: Iterator<GenerationEntry> | undefined;
  let isFirst = true;
  let cancelTimer = (): void => undefined;

  const wait = (delayMs: number): void => {
    const dueAt = monotonicNow() + delayMs;
    cancelTimer = setTimer(() => wait(monotonicNow() - dueAt > LATE_MS ? BUSY_MS : readSome()), delayMs);
  };
  /** Returns how long to wait before the next turn. */
  const readSome = (): number => {
    if (left === undefined) {
      if (!isFirst && !wereAsked()) return REST_MS;
      isFirst = false;
      left = entries()[Symbol.iterator]();
    }
    for (let passed = 0, read = 0; passed < PASSED_IN_A_TURN && read < READ_IN_A_TURN; passed += 1) {
      const next = left.next();
      if (next.done === true) {
        left = undefined;
        return REST_MS;
      }
      if (next.value.hasFacts) continue;
      next.value.readFacts();
      read += 1;
    }
    return BETWEEN_MS;
  };

  wait(FIRST_MS);
  return () => cancelTimer();
}
