import type { Generation, GenerationContent, GenerationRecord, SpendingEntry } from '@model-gateway/core';

import { FORMAT_VERSION } from '../tables/config-file.ts';
import type { SegmentName } from './segment-name.ts';

export interface ContentReference {
  readonly file: string;
  readonly offset: number;
  /** Bytes of the line, its newline not counted. */
  readonly length: number;
}

/** Sums that remain when retention drops files; the last such line counts. */
export interface CarriedForward {
  /** This segment and all older ones are gone, or to be removed if a crash has left them. */
  readonly droppedThrough: SegmentName | null;
  /** The content of this segment and of all older ones is gone. */
  readonly contentDroppedThrough: SegmentName | null;
  /** Cost of the dropped records; without a day for days that are not distinguished any more. */
  readonly spentNanoUsd: readonly CarriedSum[];
}

type CarriedSum = readonly [
  principalId: string,
  nanoUsd: number,
  day?: string,
  isByok?: boolean,
  workspaceId?: string | null,
  userId?: string | null,
];

interface RecordHead {
  readonly id: string;
  readonly principalId: string;
  readonly costNanoUsd: number;
  /** When the generation began; absent where it is the day of its segment, and in lines of former versions. */
  readonly day?: string | undefined;
  readonly isByok?: boolean | undefined;
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
}

/** A metadata line as read. `generation` is still JSON text; it is parsed when the record is requested. */
export type MetadataLine =
  | { readonly type: 'segment'; readonly version: number }
  | ({
      readonly type: 'generation';
      readonly content: ContentReference | null;
      readonly generation: Buffer;
    } & RecordHead)
  | ({ readonly type: 'update'; readonly segment: SegmentName; readonly generation: Buffer } & RecordHead)
  /** `isLost` when there was nothing to delete any more. */
  | { readonly type: 'content-deleted'; readonly id: string; readonly isLost?: true }
  | ({ readonly type: 'carried' } & CarriedForward);

// Unescaped quotes: this cannot occur inside a string of the head, so its first occurrence ends the head.
const HEAD_END = ',"generation":{';

// First characters of the result of `recordHead`. A content reference before it has no member of this name.
const TEXT_START = '"id":';

/** The first line of every metadata file. */
export function segmentLine(): string {
  return JSON.stringify({ type: 'segment', version: FORMAT_VERSION });
}

/**
 * Text before the JSON text of a generation in its line; a brace follows it. The segment is the one that the line is
 * written to, null for a segment that does not follow from the line. Throws for values that JSON cannot hold.
 */
export function recordHead(record: GenerationRecord, segment: SegmentName | null): string {
  const { generation, principalId, userId, costNanoUsd } = record;
  if (!Number.isSafeInteger(costNanoUsd)) throw new TypeError(`costNanoUsd must be a safe integer, got ${costNanoUsd}`);
  const day = dayOfGeneration(generation);
  const head: RecordHead = {
    id: generation.id,
    principalId,
    costNanoUsd,
    day: segment?.startsWith(day) === true ? undefined : day,
    isByok: generation.is_byok ? true : undefined,
    workspaceId: generation.workspace_id ?? undefined,
    userId,
  };
  return `${JSON.stringify(head).slice(1, -1)}${HEAD_END.slice(0, -1)}`;
}

/** The day of the generation before: nearly always that of the next one, too, and one text for all that are kept. */
let lastDay = '-';

/** The day in UTC on which a generation began. */
export function dayOfGeneration({ created_at: createdAt }: Pick<Generation, 'created_at'>): string {
  if (!createdAt.startsWith(lastDay)) lastDay = createdAt.slice(0, 10);
  return lastDay;
}

/** Sums as they are kept when what they are made of is dropped. */
export function toCarriedSums(entries: Iterable<SpendingEntry>): CarriedSum[] {
  return [...entries].flatMap((entry): CarriedSum[] => {
    const { principalId, userId = null, workspaceId = null, day, creditsNanoUsd, byokNanoUsd } = entry;
    return [
      [principalId, creditsNanoUsd, day, false, workspaceId, userId],
      ...(byokNanoUsd === 0 ? [] : [[principalId, byokNanoUsd, day, true, workspaceId, userId] as const]),
    ];
  });
}

/** The same sums, to be counted again. */
export function fromCarriedSum(sum: CarriedSum): SpendingEntry {
  const [principalId, nanoUsd, day = '', isByok = false, workspaceId, userId] = sum;
  return {
    principalId,
    userId: userId ?? undefined,
    workspaceId: workspaceId ?? undefined,
    day,
    creditsNanoUsd: isByok ? 0 : nanoUsd,
    byokNanoUsd: isByok ? nanoUsd : 0,
  };
}

/** The line of a new generation, or its beginning. What is needed at start stands in front, apart from `generation`. */
export function generationLine(text: string, content: ContentReference | null): string {
  if (content === null) return `{"type":"generation","content":null,${text}`;
  const { file, offset, length } = content;
  return `{"type":"generation","content":{"file":"${file}","offset":${offset},"length":${length}},${text}`;
}

/** The same line of a generation with its content elsewhere, or gone. */
export function withContent(record: Buffer, content: ContentReference | null): string {
  const text = record.toString();
  return generationLine(text.slice(text.indexOf(TEXT_START)), content);
}

/** The line of a later version. It names the segment of the first, with which it goes when that is dropped. */
export function updateLine(head: string, text: string, segment: SegmentName): string {
  return `{"type":"update","segment":"${segment}",${head}${text}}`;
}

/** The line after which a generation has no content any more; `isLost` when nothing is left to remove from the disk. */
export function contentDeletedLine(id: string, isLost: boolean): string {
  return JSON.stringify({ type: 'content-deleted', id, isLost: isLost ? true : undefined });
}

/** The line that keeps sums and limits when files are dropped. */
export function carriedLine(carried: CarriedForward): string {
  return JSON.stringify({ type: 'carried', ...carried });
}

/**
 * Text before the JSON text of a content in its line; a brace follows it. A line names its generation, so that a wrong
 * offset can never show one caller the content of another.
 */
export function contentHead(id: string): string {
  return `{"id":${JSON.stringify(id)},"content":`;
}

/** Reads a metadata record whose checksum was right. Undefined for a type that a newer program has written. */
export function parseMetadata(record: Buffer): MetadataLine | undefined {
  const headEnd = record.indexOf(HEAD_END, 0, 'latin1');
  const head: unknown = JSON.parse(headEnd === -1 ? record.toString() : `${record.toString('utf8', 0, headEnd)}}`);
  if (typeof head !== 'object' || head === null || !('type' in head)) return undefined;
  switch (head.type) {
    case 'generation':
    case 'update':
      if (headEnd === -1) return undefined;
      // The checksum vouches for the shape: this program wrote these very bytes.
      return {
        ...head,
        generation: record.subarray(headEnd + HEAD_END.length - 1, record.length - 1),
      } as unknown as MetadataLine;
    case 'segment':
    case 'content-deleted':
    case 'carried':
      return head as unknown as MetadataLine;
    default:
      return undefined;
  }
}

/** Reads a content record whose checksum was right; undefined when it does not name a generation. */
export function parseContent(record: Buffer): { readonly id: string; readonly content: GenerationContent } | undefined {
  const parsed: unknown = JSON.parse(record.toString());
  const isContent = typeof parsed === 'object' && parsed !== null && 'id' in parsed && 'content' in parsed;
  return isContent ? (parsed as { readonly id: string; readonly content: GenerationContent }) : undefined;
}
