/**
 * A segment is the unit that is dropped: the pair of files of one day or, on a day with very many generations, of one
 * part of it. Its name is the day in UTC, with `.2`, `.3`... for further parts.
 */
export type SegmentName = string;

/** The meaning of a file name in the logs folder. */
export interface LogFileName {
  readonly kind: 'generations' | 'content';
  readonly segment: SegmentName;
  /** Number of rewrites of a content file by compaction; 0 for the first file. */
  readonly revision: number;
  /** Set aside because it was damaged. */
  readonly isCorrupt: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LOG_FILE = /^(generations|content)-(\d{4}-\d\d-\d\d(?:\.\d+)?)(?:-r(\d+))?\.ndjson(\.corrupt-.+)?$/;

/** Reads a file name of the logs folder; undefined for a file that the store did not make. */
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

/** Whether a segment is `limit` or older; false for every segment without a `limit`. */
export function isThrough(segment: SegmentName, limit: SegmentName | null): boolean {
  return limit !== null && compareSegments(segment, limit) <= 0;
}

/** The segment after `last` at this time: of today, or the next part of the same day. Never an older one. */
export function nextSegment(last: SegmentName | null, nowMs: number): SegmentName {
  const today = dayAt(nowMs);
  // When the clock was set back, the new segment must still sort after all others.
  return last === null || dayOf(last) < today ? today : `${dayOf(last)}.${partOf(last) + 1}`;
}

/** The day in UTC as it stands in the names of segments. */
export function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The end of the segment's day, in milliseconds since the epoch. */
export function endOfSegment(segment: SegmentName): number {
  return Date.parse(dayOf(segment)) + DAY_MS;
}

function dayOf(segment: SegmentName): string {
  return segment.slice(0, 10);
}

function partOf(segment: SegmentName): number {
  return Number(segment.slice(11) || 1);
}
