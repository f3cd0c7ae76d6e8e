import type { Generation, GenerationRow } from '@model-gateway/core/wire';

import type { GenerationList } from '../../../api/types.ts';

/** Fields that a list requests and holds: whole records would be too much for the network and the memory. */
const FIELDS = [
  'id',
  'created_at',
  'model',
  'status',
  'provider_name',
  'finish_reason',
  'streamed',
  'tokens_prompt',
  'tokens_completion',
  'total_cost',
  'cost_known',
  'latency',
  'generation_time',
  'origin',
  'external_user',
  'key_hash',
  'session_id',
  'attempts',
  'api_type',
  'prompt_preview',
] as const satisfies readonly (keyof GenerationRow)[];

export type ListRow = Pick<GenerationRow, (typeof FIELDS)[number]>;

export type ListPage = GenerationList<ListRow>;

/** Part of the query of the list and of the feed: has them send rows of this kind. */
export const ROW_QUERY = { fields: FIELDS.join(',') };

/** Texts that many rows have in common, such as names of models, are kept once. */
const common = new Map<string, string>();
const MAX_COMMON = 5000;

/** A row as it came, less the copies of texts that other rows have. */
export function toListRow(row: ListRow): ListRow {
  return {
    ...row,
    model: internText(row.model),
    provider_name: internText(row.provider_name),
    finish_reason: internText(row.finish_reason),
    origin: internText(row.origin),
    external_user: internText(row.external_user),
    key_hash: internText(row.key_hash),
    session_id: internText(row.session_id),
  };
}

function internText<Text extends string | null>(text: Text): Text {
  if (text === null) return text;
  const kept = common.get(text);
  if (kept !== undefined) return kept as Text;
  if (common.size < MAX_COMMON) common.set(text, text);
  return text;
}

/** Tokens a second: of a stream from the first to the last, of a whole response over its time; null when nothing can be said. */
export function toSpeed(
  generation: Pick<Generation, 'streamed' | 'tokens_completion' | 'generation_time' | 'latency'>,
): number | null {
  const { tokens_completion: tokens, generation_time: ms } = generation;
  const takenMs = (ms ?? 0) - (toFirstTokenMs(generation) ?? 0);
  return tokens === null || tokens < 2 || takenMs <= 0 ? null : (tokens / takenMs) * 1000;
}

/**
 * Milliseconds to the first token of a stream; null for what had no first token. The latency of a whole response is that
 * of the response, and that of a failed call the time until it failed.
 */
export function toFirstTokenMs({
  streamed,
  tokens_completion: tokens,
  latency,
}: Pick<Generation, 'streamed' | 'tokens_completion' | 'latency'>): number | null {
  return streamed === true && (tokens ?? 0) > 0 ? latency : null;
}
