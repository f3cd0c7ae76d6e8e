import type { GenerationList, GenerationRow } from '../../api/types.ts';

/** What a list keeps of a generation: a long list of whole records would fill the memory. */
export type ListRow = Pick<
  GenerationRow,
  | 'id'
  | 'created_at'
  | 'model'
  | 'status'
  | 'provider_name'
  | 'finish_reason'
  | 'streamed'
  | 'tokens_prompt'
  | 'tokens_completion'
  | 'total_cost'
  | 'cost_known'
  | 'latency'
  | 'generation_time'
  | 'origin'
  | 'external_user'
  | 'key_hash'
  | 'session_id'
> & {
  /** How many providers were asked. */
  readonly attempts: number;
};

export interface ListPage extends Omit<GenerationList, 'data'> {
  readonly data: readonly ListRow[];
}

/** Texts that many rows have in common, such as names of models, are kept once. */
const common = new Map<string, string>();
const MAX_COMMON = 5000;

export function toListRow(row: GenerationRow): ListRow {
  return {
    id: row.id,
    created_at: row.created_at,
    model: keepOnce(row.model),
    status: row.status,
    provider_name: keepOnce(row.provider_name),
    finish_reason: keepOnce(row.finish_reason),
    streamed: row.streamed,
    tokens_prompt: row.tokens_prompt,
    tokens_completion: row.tokens_completion,
    total_cost: row.total_cost,
    cost_known: row.cost_known,
    latency: row.latency,
    generation_time: row.generation_time,
    origin: keepOnce(row.origin),
    external_user: keepOnce(row.external_user),
    key_hash: keepOnce(row.key_hash),
    session_id: keepOnce(row.session_id),
    attempts: row.provider_responses?.length ?? 0,
  };
}

function keepOnce<Text extends string | null>(text: Text): Text {
  if (text === null) return text;
  const kept = common.get(text);
  if (kept !== undefined) return kept as Text;
  if (common.size < MAX_COMMON) common.set(text, text);
  return text;
}
