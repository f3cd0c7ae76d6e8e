import type { FindKeyNames } from '../auth/keys.ts';
import type { GenerationRecord } from '../stores/store.ts';
import type { ExportedGeneration, GenerationRow } from '../wire/generation-list.ts';
import {
  type GenerationSearch,
  listGenerations,
  toGenerationRow,
  type GenerationListParts,
} from './list-generations.ts';
import { toPublicContent } from './to-generation.ts';

/** A row with the name of its key; null where it has none any more. */
type NamedRow = GenerationRow & Pick<ExportedGeneration, 'key_name'>;

/** The columns of CSV, in this order. */
const COLUMNS = [
  'id',
  'created_at',
  'status',
  'model',
  'provider_name',
  'attempts',
  'api_type',
  'key_hash',
  'key_name',
  'user_id',
  'external_user',
  'session_id',
  'workspace_id',
  'streamed',
  'finish_reason',
  'tokens_prompt',
  'tokens_completion',
  'native_tokens_reasoning',
  'native_tokens_cached',
  'total_cost',
  'cost_known',
  'is_byok',
  'byok_fee',
  'upstream_inference_cost',
  'latency',
  'generation_time',
  'data_region',
  'origin',
  'user_agent',
] as const satisfies readonly (keyof NamedRow)[];

const PAGE_SIZE = 200;
const encoder = new TextEncoder();

interface GenerationExport extends Pick<GenerationSearch, 'filter' | 'text'> {
  readonly format: 'ndjson' | 'csv';
  /** Adds the request and the completion; not in CSV. */
  readonly withContent: boolean;
  /** Fires when the reader has gone. */
  readonly signal: AbortSignal;
}

interface ExportParts extends GenerationListParts {
  readonly findKeyNames: FindKeyNames;
}

/** Writes generations, newest first, one page at a time and only as fast as they are read. */
export async function* exportGenerations(
  { filter, text, format, withContent, signal }: GenerationExport,
  parts: ExportParts,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield encoder.encode(`${COLUMNS.join(',')}\r\n`);
  let before: string | undefined;
  do {
    const { records, next } = await listGenerations({ filter, text, limit: PAGE_SIZE, before }, parts);
    const names = await parts.findKeyNames(new Set(records.map(({ principalId }) => principalId)));
    const toRow = (record: GenerationRecord): NamedRow => ({
      ...toGenerationRow(record),
      key_name: names[record.principalId] ?? null,
    });
    for (const record of withContent ? records : []) {
      const stored = await parts.store.generations.getContent(record.generation.id);
      const content = stored === undefined ? null : toPublicContent(stored);
      yield encoder.encode(toNdjsonLine({ ...toRow(record), content }));
      if (signal.aborted) return;
    }
    const lines = withContent ? [] : records.map(toRow).map(format === 'csv' ? toCsvLine : toNdjsonLine);
    if (lines.length > 0) yield encoder.encode(lines.join(''));
    before = next ?? undefined;
  } while (before !== undefined && !signal.aborted);
}

const toNdjsonLine = (row: ExportedGeneration): string => `${JSON.stringify(row)}\n`;

const toCsvLine = (row: NamedRow): string => `${COLUMNS.map((name) => toCsvField(row[name])).join(',')}\r\n`;

function toCsvField(value: string | number | boolean | null | undefined): string {
  if (typeof value !== 'string') return String(value ?? '');
  // Callers choose some of these texts, and a spreadsheet would take one of this kind for a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
