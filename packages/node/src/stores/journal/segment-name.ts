/**
 * A segment is what is dropped as a whole: one day's pair of files, or, on a day with very many generations, one part
 * of it. Its name is the day in UTC, with `.2`, `.3`... for further parts.
 */
export type SegmentName = string;

/** Which file of the logs folder a name stands for. */
export interface LogFileName {
  readonly kind: 'generations' | 'content';
  readonly segment: SegmentName;
  /** Counts rewrites of a content file by compaction; 0 for the first. */
  readonly revision: number;
  /** Set aside because it was damaged. */
  readonly isCorrupt: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LOG_FILE = /^(generations|content)-(\d{4}-\d\d-\d\d(?:\.\d+)?)(?:-r(\d+))?\.ndjson(\.corrupt-.+)?$/;

/** Reads a file name of the logs folder; undefined when it is not one of ours. */
export function parseLogFileName(name: string): LogFileName | undefined {
  const match = LOG_FILE.exec(name);
  if (match === null) return undefined;
  const [, kind, segment = '', revision = '0', corrupt] = match;
  return {
    kind: kind === 'content' ? 'content' : 'generations',
    segment,
    revision: Number(revision),
    isCorrupt: corrupt !== undefined,
  };
}

export function metadataFileName(segment: SegmentName): string {
  return `generations-${segment}.ndjson`;
}

export function contentFileName(segment: SegmentName, revision = 0): string {
  return revision === 0 ? `content-${segment}.ndjson` : `content-${segment}-r${revision}.ndjson`;
}

/** Orders segments, oldest first. */
export function compareSegments(left: SegmentName, right: SegmentName): number {
  const leftDay = dayOf(left);
  const rightDay = dayOf(right);
  if (leftDay !== rightDay) return leftDay < rightDay ? -1 : 1;
  return partOf(left) - partOf(right);
}

/** Whether a segment is this one or older; nothing is when there is no `limit`. */
export function isThrough(segment: SegmentName, limit: SegmentName | null): boolean {
  return limit !== null && compareSegments(segment, limit) <= 0;
}

/** The segment that follows `last` at this time: of today, or the next part of the same day. Never an older one. */
export function nextSegment(last: SegmentName | null, nowMs: number): SegmentName {
  const today = dayAt(nowMs);
  // A clock set back must not make a segment that sorts before what exists.
  return last === null || dayOf(last) < today ? today : `${dayOf(last)}.${partOf(last) + 1}`;
}

/** The day in UTC, as segments are named by it. */
export function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Milliseconds since the epoch at which the segment's day is over. */
export function endOfSegment(segment: SegmentName): number {
  return Date.parse(dayOf(segment)) + DAY_MS;
}

function dayOf(segment: SegmentName): string {
  return segment.slice(0, 10);
}

function partOf(segment: SegmentName): number {
  return Number(segment.slice(11) || 1);
}
