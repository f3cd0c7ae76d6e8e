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
  'user_agent',
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

/** What came in less time came at once: it has no speed. As the gateway counts. */
const LEAST_TIMED_MS = 50;

/** Tokens a second: of a stream from the first to the last, of a whole response over its time; null when nothing can be said. */
export function toSpeed(
  generation: Pick<Generation, 'streamed' | 'tokens_completion' | 'generation_time' | 'latency'>,
): number | null {
  const { tokens_completion: tokens, generation_time: ms } = generation;
  const takenMs = (ms ?? 0) - (toFirstTokenMs(generation) ?? 0);
  return tokens === null || tokens < 2 || takenMs < LEAST_TIMED_MS ? null : (tokens / takenMs) * 1000;
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

/** When a request ended, which is what the list is sorted by unless it is told otherwise. ISO 8601. */
export const endOf = ({
  created_at: createdAt,
  generation_time: ms,
}: Pick<Generation, 'created_at' | 'generation_time'>): string =>
  ms === null ? createdAt : new Date(Date.parse(createdAt) + ms).toISOString();

/** The app of a request for a narrow column: its address, else the first word of its user agent, as in the charts. */
export const toAppName = ({ origin, user_agent: agent }: Pick<Generation, 'origin' | 'user_agent'>): string | null =>
  origin === '' ? (/^[^\s/(]+/.exec(agent ?? '')?.[0] ?? null) : origin.replace(/^https?:\/\//, '').replace(/\/$/, '');
