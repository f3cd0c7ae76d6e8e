import {
  type AttemptSource,
  DATA_REGIONS,
  type DataRegion,
  feeNanoUsdOf,
  type FactSource,
  type Generation,
  type GenerationRecord,
  type SpendingEntry,
  toDataRegion,
  UNKNOWN_GENERATION,
} from '@model-gateway/core';

import type { SegmentName } from '../log/segment-name.ts';
import { FORMAT_VERSION } from '../tables/config-file.ts';

export interface ContentReference {
  readonly file: string;
  readonly offset: number;
  /** Bytes of the line, its newline not counted. */
  readonly length: number;
}

/** Sums that remain after retention has dropped files; the last such line counts. */
export interface CarriedForward {
  /** This segment and all older ones were dropped; a crash may have left their files. */
  readonly droppedThrough: SegmentName | null;
  /** The content of this segment and of all older ones was dropped. */
  readonly contentDroppedThrough: SegmentName | null;
  /** The moment after the last of the dropped records began. Absent where an earlier version dropped them. */
  readonly completeFromMs?: number | undefined;
  /** Cost of the dropped records; without a day for days that are not told apart any more. */
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
  /** The part of the cost that is a fee; absent without one. */
  readonly feeNanoUsd?: number | undefined;
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
  /** `isLost`: the content had been lost before. */
  | { readonly type: 'content-deleted'; readonly id: string; readonly isLost?: true }
  | ({ readonly type: 'carried' } & CarriedForward);

// Ends the head. With its unescaped quotes it cannot occur inside a string of the head.
const HEAD_END = ',"generation":{';

// First characters of the result of `recordHead`. A content reference before it has no member of this name.
const TEXT_START = '"id":';

/** The first line of every metadata file. */
export function segmentLine(): string {
  return JSON.stringify({ type: 'segment', version: FORMAT_VERSION });
}

/**
 * Text before the JSON text of a generation in its line; a brace follows it. `segment` is the segment that the line is
 * written to; null where it does not follow from the line. Throws for values that JSON cannot hold.
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
    feeNanoUsd: feeNanoUsdOf(generation) || undefined,
    workspaceId: generation.workspace_id ?? undefined,
    userId,
  };
  return `${JSON.stringify(head).slice(1, -1)}${HEAD_END.slice(0, -1)}`;
}

/** The day of the generation before. The next one nearly always has the same, and then shares this string. */
let lastDay = '-';

/** The day in UTC on which a generation began. */
export function dayOfGeneration({ created_at: createdAt }: Pick<Generation, 'created_at'>): string {
  if (!createdAt.startsWith(lastDay)) lastDay = createdAt.slice(0, 10);
  return lastDay;
}

/** The form in which sums are stored when their records are dropped. */
export function toCarriedSums(entries: Iterable<SpendingEntry>): CarriedSum[] {
  return [...entries].flatMap((entry): CarriedSum[] => {
    const { principalId, userId = null, workspaceId = null, day, creditsNanoUsd, byokNanoUsd } = entry;
    return [
      [principalId, creditsNanoUsd, day, false, workspaceId, userId],
      ...(byokNanoUsd === 0 ? [] : [[principalId, byokNanoUsd, day, true, workspaceId, userId] as const]),
    ];
  });
}

/** A stored sum as spending that can be counted again. */
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

/** The line of a new generation, or its beginning. The values that a start reads come before `generation`. */
export function generationLine(text: string, content: ContentReference | null): string {
  if (content === null) return `{"type":"generation","content":null,${text}`;
  const { file, offset, length } = content;
  return `{"type":"generation","content":{"file":"${file}","offset":${offset},"length":${length}},${text}`;
}

/** The line of a generation with its content at another place, or without content. */
export function withContent(record: Buffer, content: ContentReference | null): string {
  const text = record.toString();
  return generationLine(text.slice(text.indexOf(TEXT_START)), content);
}

/** The line of a later version. It names the segment of the first version, with which it is dropped. */
export function updateLine(head: string, text: string, segment: SegmentName): string {
  return `{"type":"update","segment":"${segment}",${head}${text}}`;
}

/** The line that deletes a generation's content; `isLost`: the content had been lost before. */
export function contentDeletedLine(id: string, isLost: boolean): string {
  return JSON.stringify({ type: 'content-deleted', id, isLost: isLost ? true : undefined });
}

/** The line that stores sums and limits when files are dropped. */
export function carriedLine(carried: CarriedForward): string {
  return JSON.stringify({ type: 'carried', ...carried });
}

/**
 * Text before the JSON text of a content in its line; a brace follows it. The line names its generation, so that a
 * wrong offset never shows one caller the content of another. The preview stands with the content, so that it goes with
 * it, and before it, so that it is read without it.
 */
export function contentHead(id: string, preview: string | null, isPacked: boolean): string {
  return `{"id":${JSON.stringify(id)},"preview":${JSON.stringify(preview)},${isPacked ? PACKED : ''}"content":`;
}

/** Stands in the head of a content that has blocks. */
const PACKED = '"packed":true,';

/** Whether a content record has blocks. The member cannot occur in a preview, whose quotes are escaped. */
export const isPackedContent = (record: Buffer): boolean =>
  record.subarray(0, MAX_HEAD_BYTES).includes(`,${PACKED}"content":`);

/** More bytes than the head of a content takes. */
export const MAX_HEAD_BYTES = 2048;

/**
 * Reads the preview from the beginning of a content record. Undefined where it is another generation's, or has none:
 * former versions wrote none.
 */
export function parsePreview(beginning: Buffer, id: string): { readonly preview: string | null } | undefined {
  const text = beginning.toString();
  const head = `{"id":${JSON.stringify(id)},"preview":`;
  if (!text.startsWith(head)) return undefined;
  const [value] = /^(?:null|"(?:[^"\\]|\\.)*")/.exec(text.slice(head.length)) ?? [];
  return value === undefined ? undefined : { preview: JSON.parse(value) as string | null };
}

/** Reads a metadata record with a valid checksum. Undefined for a type that a newer program has written. */
export function parseMetadata(record: Buffer): MetadataLine | undefined {
  const headEnd = record.indexOf(HEAD_END, 0, 'latin1');
  const head: unknown = JSON.parse(headEnd === -1 ? record.toString() : `${record.toString('utf8', 0, headEnd)}}`);
  if (typeof head !== 'object' || head === null || !('type' in head)) return undefined;
  switch (head.type) {
    case 'generation':
    case 'update':
      if (headEnd === -1) return undefined;
      // With a valid checksum the record has the shape in which this program wrote it.
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

/** A content record as read. */
interface ContentLine {
  readonly id: string;
  readonly packed?: true;
  /** In the form in which stores write it. */
  readonly content: unknown;
}

/** Reads a content record with a valid checksum; undefined when it does not name a generation. */
export function parseContent(record: Buffer): ContentLine | undefined {
  const parsed: unknown = JSON.parse(record.toString());
  const isContent = typeof parsed === 'object' && parsed !== null && 'id' in parsed && 'content' in parsed;
  return isContent ? (parsed as ContentLine) : undefined;
}

/** What is left out of the text where it has this value, and added again when it is read. */
const USUAL_VALUES = {
  ...UNKNOWN_GENERATION,
  api_type: 'completions',
  num_media_prompt: 0,
  num_input_audio_prompt: 0,
} as const;
const USUAL: Readonly<Record<string, unknown>> = USUAL_VALUES;

/** What is left out where it has the value of another member, and taken from there when it is read. */
const SAME_AS = {
  request_id: 'id',
  native_finish_reason: 'finish_reason',
  native_tokens_prompt: 'tokens_prompt',
  native_tokens_completion: 'tokens_completion',
  usage: 'total_cost',
  generation_time: 'latency',
} as const satisfies Partial<Record<keyof Generation, keyof Generation>>;

/** Keeps the place of these members in the order of all. */
const NOT_SAID = Object.fromEntries(Object.keys(SAME_AS).map((name) => [name, undefined]));

type ProviderResponse = NonNullable<Generation['provider_responses']>[number];

/** A text as parsed: `endpoint_id` replaces several values of a generation. */
type SaidGeneration = Partial<Generation> &
  Pick<Generation, 'created_at' | 'model'> & { readonly endpoint_id?: string | undefined };

/** Values in the line of a generation before its text. */
export interface GenerationHead {
  readonly id: string;
  readonly workspaceId?: string | undefined;
}

/**
 * A generation as JSON text, without usual values, repeated values and those in its head: half as long, and the time to
 * record it depends on its length. Throws for what JSON cannot hold (docs/decisions/0017).
 */
export function toGenerationText(generation: Generation): string {
  const endpointId = onlyEndpointId(generation);
  // JSON leaves out members that are undefined. A copy of all of them keeps its shape, so that it costs less than one
  // that grows.
  const said: Record<string, unknown> = {
    ...generation,
    id: undefined,
    workspace_id: undefined,
    endpoint_id: endpointId,
  };
  if (endpointId !== undefined) said['provider_responses'] = undefined;
  for (const name in USUAL) if (said[name] === USUAL[name]) said[name] = undefined;
  for (const name in SAME_AS) {
    const member = name as keyof typeof SAME_AS;
    if (generation[member] === generation[SAME_AS[member]]) said[member] = undefined;
  }
  return JSON.stringify(said);
}

/** Reads a generation from its text, also from a complete one as former versions wrote it. */
export function parseGenerationText(text: string, { id, workspaceId }: GenerationHead): Generation {
  const { endpoint_id: endpointId, created_at, model, ...more } = JSON.parse(text) as SaidGeneration;
  const usual = { id, request_id: id, created_at, model, ...USUAL_VALUES, workspace_id: workspaceId ?? null };
  const read: Record<string, unknown> = { ...usual, ...NOT_SAID, ...more };
  for (const name in SAME_AS) {
    if (read[name] === undefined) read[name] = read[SAME_AS[name as keyof typeof SAME_AS]];
  }
  const generation = read as unknown as Generation;
  generation.data_region = readDataRegion(generation);
  if (endpointId !== undefined) generation.provider_responses = [toOnlyResponse(generation, endpointId)];
  return generation;
}

/** Reads no more than the facts of a generation are made of: charts read those of all generations. */
export function parseFactSource(text: string): FactSource {
  const said = { ...USUAL_VALUES, ...(JSON.parse(text) as SaidGeneration) };
  const { generation_time = said.latency, endpoint_id: endpointId } = said;
  if (endpointId === undefined) return { ...said, generation_time };
  return { ...said, generation_time, provider_responses: [toOnlyAttempt(said, endpointId)] };
}

/** What `toOnlyResponse` would say of it. */
function toOnlyAttempt(
  { provider_name: name, model, latency }: Partial<Generation>,
  endpointId: string,
): AttemptSource {
  const said = { endpoint_id: endpointId, model_permaslug: model, status: 200 } as const;
  return { ...said, provider_name: name ?? '', latency: latency ?? 0 };
}

/** Former versions wrote the name of the region, and for calls to an ordinary host that of the endpoint. */
function readDataRegion({ data_region: written, called_region: name }: Generation): DataRegion {
  if (name === undefined) return 'global';
  return DATA_REGIONS.includes(written) ? written : toDataRegion(name);
}

/** The only endpoint that was asked, when its response has no value that the generation does not have. */
function onlyEndpointId(generation: Generation): string | undefined {
  const response = generation.provider_responses?.length === 1 ? generation.provider_responses[0] : undefined;
  const isUsual =
    response !== undefined &&
    response.id === undefined &&
    typeof response.endpoint_id === 'string' &&
    response.is_byok === generation.is_byok &&
    response.latency === generation.latency &&
    response.model_permaslug === generation.model &&
    response.provider_name === generation.provider_name &&
    response.key === generation.provider_key &&
    response.status === 200 &&
    response.error === undefined;
  return isUsual ? response.endpoint_id : undefined;
}

/** Its members are in the order in which calls write them. */
function toOnlyResponse(generation: Generation, endpointId: string): ProviderResponse {
  const response: ProviderResponse = {
    endpoint_id: endpointId,
    is_byok: generation.is_byok,
    latency: generation.latency ?? 0,
    model_permaslug: generation.model,
    provider_name: generation.provider_name ?? '',
    status: 200,
  };
  if (generation.provider_key !== undefined) response.key = generation.provider_key;
  return response;
}
