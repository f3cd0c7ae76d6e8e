import type { SegmentFacts } from '../generation-index/generation-index.ts';
import { endOfSegment, type SegmentName } from '../journal/segment-name.ts';

/** How much a store keeps. Segments go as a whole, so that each limit is met to within one of them. */
export interface RetentionLimits {
  readonly retentionDays: number;
  readonly maxGenerations: number;
  /** Bytes of all content files together. */
  readonly maxContentBytes: number;
}

/** The newest segment to drop with all older ones, and the same for content alone. */
export interface RetentionPlan {
  readonly dropThrough: SegmentName | null;
  readonly dropContentThrough: SegmentName | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A tenth of what may be kept at all goes at a time. */
const SEGMENTS_AT_LIMIT = 10;
/** A segment that has grown past its tenth in a rush is not dropped before enough has come after it. */
const KEPT_AT_LEAST = 0.8;

/**
 * Decides what to drop: segments older than `retentionDays`, then the oldest until the number of generations fits, then
 * the oldest contents until their bytes fit. Never `firstOpen` or a newer one. `segments` come oldest first.
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

/** Whether all fits, or would leave too little once the oldest part had gone: that part must be an oversized one. */
function isRetained(all: number, oldest: number, limit: number): boolean {
  return all <= limit || all - oldest < limit * KEPT_AT_LEAST;
}

/** How large a segment may become before the next begins, so that limits can be met by dropping whole ones. */
export function segmentLimits(limits: RetentionLimits): { readonly lines: number; readonly contentBytes: number } {
  return {
    lines: Math.max(1, Math.ceil(limits.maxGenerations / SEGMENTS_AT_LIMIT)),
    contentBytes: Math.max(1, Math.ceil(limits.maxContentBytes / SEGMENTS_AT_LIMIT)),
  };
}

function sum(segments: readonly SegmentFacts[], amount: (segment: SegmentFacts) => number): number {
  return segments.reduce((total, segment) => total + amount(segment), 0);
}
