import {
  createSpendingBook,
  createTurns,
  type KeptDays,
  type Platform,
  type RetentionLosses,
} from '@model-gateway/core';

import { nextTurn } from '../../node-timers.ts';
import { errorReason } from '../files/file-system.ts';
import { endOfSegment, isThrough, type SegmentName } from '../log/segment-name.ts';
import type { RetentionClock } from '../retention-clock.ts';
import type { GenerationIndex, SegmentFacts } from './generation-index.ts';
import { type CarriedForward, fromCarriedSum, toCarriedSums } from './generation-lines.ts';
import type { Journal } from './generation-segments.ts';
import { type LoadOptions, removeDroppedFiles } from './load-generations.ts';

/** Limits of a store. Segments are dropped as a whole, so that each limit is met to within one segment. */
export interface RetentionLimits {
  readonly retentionDays: number;
  /** Whole days that contents are kept. Default: as long as their generations. */
  readonly contentDays?: number | undefined;
  readonly maxGenerations: number;
  /** Bytes of all content files together. */
  readonly maxContentBytes: number;
}

/** The newest segment to drop, together with all older ones; likewise for content alone. */
interface RetentionPlan {
  readonly dropThrough: SegmentName | null;
  readonly dropContentThrough: SegmentName | null;
}

interface PlanOptions {
  readonly limits: RetentionLimits;
  readonly nowMs: number;
  /** The days on which the calls of a segment began. */
  readonly daysOf?: ((name: SegmentName) => Iterable<string>) | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A segment holds a tenth of the limit, so that a tenth is dropped at a time. */
const SEGMENTS_AT_LIMIT = 10;
/** At least this share of the limit stays: an oversized segment is dropped only once enough has followed it. */
const KEPT_AT_LEAST = 0.8;

/**
 * Decides what to drop: segments older than `retentionDays`, then the oldest segments above the limit of generations,
 * then contents older than `contentDays` and the oldest above the limit of bytes. Never `firstOpen` or a newer one. `segments` come oldest first.
 */
export function planRetention(
  segments: readonly SegmentFacts[],
  firstOpen: SegmentName,
  { limits, nowMs, daysOf = () => [] }: PlanOptions,
): RetentionPlan {
  const openAt = segments.findIndex(({ name }) => name === firstOpen);
  const closed = segments.slice(0, Math.max(0, openAt));
  let generations = sumOf(segments, ({ records }) => records);
  let dropped = 0;
  const isOlder = ({ name }: SegmentFacts, days: number): boolean => {
    // Of those after it, the next one whose days can be told says how old it is.
    const from = closed.findIndex((segment) => segment.name === name);
    for (const later of closed.slice(from)) {
      const endsAt = findEnd(later.name, daysOf(later.name), nowMs);
      if (endsAt !== undefined) return endsAt + days * DAY_MS <= nowMs;
    }
    return false;
  };
  for (const segment of closed) {
    const { records } = segment;
    const isOld = isOlder(segment, limits.retentionDays);
    if (!isOld && isRetained(generations, records, limits.maxGenerations)) break;
    generations -= records;
    dropped += 1;
  }
  let contentBytes = sumOf(segments.slice(dropped), (segment) => segment.contentBytes);
  let dropContentThrough: SegmentName | null = null;
  for (const segment of closed.slice(dropped)) {
    // First, because it takes all of its generations to tell how old a segment is.
    if (segment.contentBytes === 0) continue;
    const isOld = isOlder(segment, limits.contentDays ?? Infinity);
    if (!isOld && isRetained(contentBytes, segment.contentBytes, limits.maxContentBytes)) break;
    contentBytes -= segment.contentBytes;
    dropContentThrough = segment.name;
  }
  return { dropThrough: closed[dropped - 1]?.name ?? null, dropContentThrough };
}

/**
 * The end of the last day of a segment, by its name and by when its calls began: a name is behind where the clock was
 * held. What is after tomorrow is of a clock that was ahead. Undefined where all is.
 */
function findEnd(name: SegmentName, days: Iterable<string>, nowMs: number): number | undefined {
  let latest: number | undefined;
  for (const day of [name, ...new Set(days)]) {
    const end = endOfSegment(day);
    if (end <= nowMs + 2 * DAY_MS) latest = Math.max(latest ?? end, end);
  }
  return latest;
}

/** Whether nothing is dropped: all is within the limit, or an oversized oldest segment would leave too little. */
function isRetained(all: number, oldest: number, limit: number): boolean {
  return all <= limit || all - oldest < limit * KEPT_AT_LEAST;
}

/** The size at which the next segment begins, small enough to meet the limits by dropping whole segments. */
export function segmentLimits(limits: RetentionLimits): { readonly lines: number; readonly contentBytes: number } {
  return {
    lines: Math.max(1, Math.ceil(limits.maxGenerations / SEGMENTS_AT_LIMIT)),
    contentBytes: Math.max(1, Math.ceil(limits.maxContentBytes / SEGMENTS_AT_LIMIT)),
  };
}

function sumOf(segments: readonly SegmentFacts[], amount: (segment: SegmentFacts) => number): number {
  return segments.reduce((total, segment) => total + amount(segment), 0);
}

interface RetentionOptions<Operation> extends LoadOptions, Pick<Platform, 'setTimer'> {
  readonly limits: RetentionLimits;
  /** How long is kept, read for each check: the settings of the store come before those limits. */
  readonly keptDays: () => KeptDays;
  readonly retentionClock: Pick<RetentionClock, 'now' | 'save'>;
  readonly index: GenerationIndex;
  readonly journal: Journal<Operation>;
  /** The sums that were found at start. */
  readonly carried: CarriedForward;
  /** Makes the operation that stores the sums in the journal. */
  readonly toOperation: (carried: CarriedForward) => Operation;
}

/** Keeps the limits while the store is open. */
interface Retention {
  /** Checks the limits, once more if a check is running. Logs failures: old files are no reason to refuse new ones. */
  look(): void;
  /** Checks the limits now. Rejects where what is over could not be dropped. */
  apply(): Promise<void>;
  /** Counts what these days would drop now, together with the other limits. */
  preview(kept: KeptDays): Promise<RetentionLosses>;
  /**
   * Drops a segment and all before it, with what its calls cost: they are made-up calls. Rejects when it is still
   * written to.
   */
  discardThrough(name: SegmentName): Promise<void>;
  /** Resolves when no check is running. */
  settled(): Promise<void>;
  /** The moment from which on nothing was dropped; undefined where nothing was. */
  completeFromMs(): number | undefined;
  /** Ends the checks; one that is running goes on until `settled`. */
  stop(): void;
}

const LOOK_EVERY_MS = 60 * 60 * 1000;

/** Starts to keep the limits: at once, every hour, and whenever `look` is called. `stop` ends it. */
export function startRetention<Operation>(options: RetentionOptions<Operation>): Retention {
  let { carried } = options;
  /** Whether `carried` is on the disk, and the files that it counts are gone. */
  let isSaved = true;
  const inTurn = createTurns();
  let isWaiting = false;
  let isStopped = false;
  let cancelTimer = (): void => undefined;

  /**
   * Saves what was taken out of the index, which is carried from now on even when this fails: the index no longer has
   * it, so the next sums would be without it, and its files would be removed with theirs.
   */
  const save = async (next: CarriedForward): Promise<void> => {
    carried = next;
    isSaved = false;
    await saveDropped(options, next);
    isSaved = true;
  };
  const dropOld = async (): Promise<void> => {
    const next = await takeOutOld(options, carried);
    // Where nothing more is over, there may be files left of what could not be saved.
    if (next === undefined && isSaved) return;
    await save(next ?? carried);
    options.logger?.info('Old generations were dropped', {
      through: carried.droppedThrough,
      contentThrough: carried.contentDroppedThrough,
    });
  };
  const look = (): void => {
    // One check that has not begun yet is enough for all requests.
    if (isStopped || isWaiting) return;
    isWaiting = true;
    inTurn(async () => {
      isWaiting = false;
      await dropOld();
    }).catch((error: unknown) => {
      options.logger?.error('Old generations could not be dropped', { reason: errorReason(error) });
    });
  };
  /** Begins a new segment in a store without writes as well, so that its last day can be dropped. */
  const roll = (): void => {
    if (options.journal.active.lines > 0) options.journal.rollIfDue();
  };
  const lookEveryHour = (): void => {
    cancelTimer = options.setTimer(() => {
      roll();
      look();
      void options.retentionClock.save();
      lookEveryHour();
    }, LOOK_EVERY_MS);
  };

  look();
  lookEveryHour();
  return {
    look,
    apply() {
      roll();
      return inTurn(dropOld);
    },
    preview: (kept) => inTurn(() => countLosses(options, kept)),
    discardThrough: (name) => inTurn(() => save(takeOutThrough(options, carried, name))),
    settled: () => inTurn(() => undefined),
    completeFromMs: () => completeFromOf(carried),
    stop() {
      isStopped = true;
      cancelTimer();
    },
  };
}

/** Requests are served between. */
const READ_AT_A_TIME = 500;

/** Only the day is known of what an earlier version dropped. */
const completeFromOf = ({ completeFromMs, droppedThrough }: CarriedForward): number | undefined =>
  completeFromMs ?? (droppedThrough === null ? undefined : endOfSegment(droppedThrough));

/** The moment after the last of all records began that are dropped by now. */
async function findCompleteFrom<Operation>(
  { index, retentionClock }: RetentionOptions<Operation>,
  dropThrough: SegmentName | null,
  carried: CarriedForward,
): Promise<number | undefined> {
  let latest = completeFromOf(carried);
  let read = 0;
  const nowMs = retentionClock.now();
  for (const { name } of index.segments) {
    if (dropThrough === null || !isThrough(name, dropThrough)) continue;
    for (const entry of index.entries(name)) {
      // What is of a clock that was ahead began before now as well.
      latest = Math.max(latest ?? 0, Math.min(entry.createdAtMs() + 1, nowMs));
      read += 1;
      if (read % READ_AT_A_TIME === 0) await nextTurn();
    }
  }
  return latest;
}

/** What is to be dropped now where so many days are kept. */
function planNow<Operation>(
  { index, journal, limits, retentionClock }: RetentionOptions<Operation>,
  { days: retentionDays, contentDays }: KeptDays,
): RetentionPlan {
  const kept = { ...limits, retentionDays, contentDays };
  const daysOf = function* (name: SegmentName): Iterable<string> {
    for (const { origin } of index.entries(name)) yield origin.day;
  };
  return planRetention(index.segments, journal.oldest.name, { limits: kept, nowMs: retentionClock.now(), daysOf });
}

async function countLosses<Operation>(options: RetentionOptions<Operation>, kept: KeptDays): Promise<RetentionLosses> {
  const { dropThrough, dropContentThrough } = planNow(options, kept);
  const losses = { generations: 0, contents: 0, contentBytes: 0 };
  for (const { name, records, contentBytes } of options.index.segments) {
    const isDropped = dropThrough !== null && isThrough(name, dropThrough);
    if (isDropped) losses.generations += records;
    if (!isDropped && (dropContentThrough === null || !isThrough(name, dropContentThrough))) continue;
    losses.contentBytes += contentBytes;
    for (const { content } of options.index.entries(name)) losses.contents += content === null ? 0 : 1;
    await nextTurn();
  }
  return losses;
}

/** Takes what is over out of the index. Returns what is carried then; undefined where nothing is over. */
async function takeOutOld<Operation>(
  options: RetentionOptions<Operation>,
  carried: CarriedForward,
): Promise<CarriedForward | undefined> {
  const { index } = options;
  const plan = planNow(options, options.keptDays());
  if (plan.dropThrough === null && plan.dropContentThrough === null) return undefined;

  const spending = createSpendingBook();
  for (const sum of carried.spentNanoUsd) spending.add(fromCarriedSum(sum));
  const completeFromMs = await findCompleteFrom(options, plan.dropThrough, carried);
  if (plan.dropThrough !== null) {
    for (const entry of index.removeThrough(plan.dropThrough).entries()) spending.add(entry);
  }
  if (plan.dropContentThrough !== null) index.removeContentThrough(plan.dropContentThrough);
  return {
    droppedThrough: plan.dropThrough ?? carried.droppedThrough,
    contentDroppedThrough: plan.dropContentThrough ?? carried.contentDroppedThrough,
    ...(completeFromMs !== undefined && { completeFromMs }),
    spentNanoUsd: toCarriedSums(spending.entries()),
  };
}

/** The sums are stored before the files they come from are removed: a crash in between only leaves files to remove. */
async function saveDropped<Operation>(options: RetentionOptions<Operation>, next: CarriedForward): Promise<void> {
  const { journal } = options;
  await journal.append(options.toOperation(next));
  await journal.sync();
  await removeDroppedFiles(options, next);
}

/** Takes a segment and all before it out of the index, with what their calls cost. Returns what is carried then. */
function takeOutThrough<Operation>(
  { index, journal }: RetentionOptions<Operation>,
  carried: CarriedForward,
  through: SegmentName,
): CarriedForward {
  if (isThrough(journal.oldest.name, through)) throw new Error(`Segment ${through} is still written to`);
  for (const entry of index.removeThrough(through).entries()) index.spending.subtract(entry);
  const { droppedThrough } = carried;
  return {
    ...carried,
    droppedThrough: isThrough(through, droppedThrough) ? droppedThrough : through,
    // Nothing is missing that ever was.
    completeFromMs: completeFromOf(carried) ?? 0,
  };
}
