import type { GenerationRecord, KeyRecord } from '../../stores/store.ts';
import type { Generation, GenerationContent } from '../../wire/generation.ts';

const NOTHING_KNOWN = {
  request_id: null,
  upstream_id: null,
  session_id: null,
  router: null,
  http_referer: null,
  app_id: null,
  user_agent: null,
  external_user: null,
  preset_id: null,
  workspace_id: null,
  native_finish_reason: null,
  service_tier: null,
  tokens_prompt: null,
  tokens_completion: null,
  native_tokens_prompt: null,
  native_tokens_completion: null,
  native_tokens_reasoning: null,
  native_tokens_cached: null,
  native_tokens_completion_images: null,
  num_media_prompt: null,
  num_media_completion: null,
  num_input_audio_prompt: null,
  num_search_results: null,
  num_fetches: null,
  web_search_engine: null,
  upstream_inference_cost: null,
  cache_discount: null,
  latency: null,
  moderation_latency: null,
  generation_time: null,
  response_cache_source_id: null,
  provider_responses: null,
} as const;

/** A finished call as a store is given it. */
export function toRecord(
  id: string,
  changes: {
    readonly generation?: Partial<Generation>;
    readonly principalId?: string;
    readonly userId?: string;
    readonly costNanoUsd?: number;
  } = {},
): GenerationRecord {
  return {
    principalId: changes.principalId ?? 'key-1',
    ...(changes.userId !== undefined && { userId: changes.userId }),
    costNanoUsd: changes.costNanoUsd ?? 1_000,
    generation: {
      ...NOTHING_KNOWN,
      id,
      created_at: '2026-03-01T10:00:00.000Z',
      model: 'acme/chat-1',
      provider_name: 'Acme',
      api_type: 'completions',
      origin: '',
      data_region: 'global',
      is_byok: false,
      streamed: true,
      cancelled: false,
      finish_reason: 'stop',
      total_cost: 0.000001,
      usage: 0.000001,
      cost_known: true,
      usage_estimated: false,
      ...changes.generation,
    },
  };
}

/** Content of a request and its completion, made distinct by `text`. */
export function toContent(text: string): GenerationContent {
  return {
    input: { messages: [{ role: 'user', content: `Question: ${text}` }] },
    output: { completion: `Answer: ${text}`, reasoning: null },
    error: null,
  };
}

/** An issued key. */
export function toKey(hash: string, changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    hash,
    kind: 'api',
    name: `Key ${hash}`,
    label: 'sk-gw-v1-abc...xyz',
    disabled: false,
    limitUsd: null,
    limitReset: null,
    includeByokInLimit: false,
    creatorUserId: null,
    workspaceId: 'default',
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: null,
    expiresAt: null,
    ...changes,
  };
}
