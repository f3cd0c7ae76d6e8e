import type { SegmentFacts } from '../generation-index/generation-index.ts';
import { endOfSegment, type SegmentName } from '../journal/segment-name.ts';

/** Limits of a store. Segments are dropped as a whole, so that each limit is met to within one segment. */
export interface RetentionLimits {
  readonly retentionDays: number;
  readonly maxGenerations: number;
  /** Bytes of all content files together. */
  readonly maxContentBytes: number;
}

/** The newest segment to drop, together with all older ones; likewise for content alone. */
export interface RetentionPlan {
  readonly dropThrough: SegmentName | null;
  readonly dropContentThrough: SegmentName | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A segment holds a tenth of the limit, so that a tenth is dropped at a time. */
const SEGMENTS_AT_LIMIT = 10;
/** At least this share of the limit stays: an oversized segment is dropped only once enough has followed it. */
const KEPT_AT_LEAST = 0.8;

/**
 * Decides what to drop: segments older than `retentionDays`, then the oldest segments above the limit of generations,
 * then the oldest contents above the limit of bytes. Never `firstOpen` or a newer one. `segments` come oldest first.
 */
export function planRetention(
  segments: readonly SegmentFacts[],
  firstOpen: SegmentName,
  { limits, nowMs }: { readonly limits: RetentionLimits; readonly nowMs: number },
): RetentionPlan {
  const openAt = segments.findIndex(({ name }) => name === firstOpen);
  const closed = segments.slice(0, Math.max(0, openAt));
  let generations = sum(segments, ({ records }) => records);
  let dropped = 0;
  for (const { name, records } of closed) {
    const isOld = endOfSegment(name) + limits.retentionDays * DAY_MS <= nowMs;
    if (!isOld && isRetained(generations, records, limits.maxGenerations)) break;
    generations -= records;
    dropped += 1;
  }
  let contentBytes = sum(segments.slice(dropped), (segment) => segment.contentBytes);
  let dropContentThrough: SegmentName | null = null;
  for (const segment of closed.slice(dropped)) {
    if (isRetained(contentBytes, segment.contentBytes, limits.maxContentBytes)) break;
    if (segment.contentBytes === 0) continue;
    contentBytes -= segment.contentBytes;
    dropContentThrough = segment.name;
  }
  return { dropThrough: closed[dropped - 1]?.name ?? null, dropContentThrough };
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

function sum(segments: readonly SegmentFacts[], amount: (segment: SegmentFacts) => number): number {
  return segments.reduce((total, segment) => total + amount(segment), 0);
}
