import type {
  AssignmentRecord,
  ByokKeyRecord,
  GroupRecord,
  GenerationRecord,
  KeyRecord,
  ModelRecord,
  ProviderRecord,
  WorkspaceRecord,
  VideoJob,
  Generation,
  GenerationContent,
  Guardrail,
  StoredContent,
} from '@model-gateway/core';

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

/** The turns of one conversation, each of which is sent with all before it, in a form and over a wire. */
export function toTurns(count: number): StoredContent[] {
  const messages: object[] = [{ role: 'system', content: 'You write code. '.repeat(40) }];
  const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', $items: 'none' } } }];
  return Array.from({ length: count }, (_, turn) => {
    messages.push({ role: 'user', content: `Turn ${turn}: ${'what about “this”? '.repeat(40)}(${turn} asked)` });
    const asked = structuredClone(messages);
    const completion = `Turn ${turn}: ${'consider the other. '.repeat(40)}(${turn} said)`;
    messages.push({ role: 'assistant', content: completion });
    const body = { model: 'acme/chat', messages: asked, tools, temperature: 0.5 };
    const contents = asked.map((message) => ({ parts: [structuredClone(message)] }));
    return {
      ...toContent(''),
      input: { messages: structuredClone(asked) },
      output: { completion, reasoning: null },
      request: {
        format: 'chat',
        body,
        headers: { 'user-agent': 'tool/1' },
        attempts: [
          { endpoint: 'acme:chat-1', wire: 'openai', body: { ...structuredClone(body), model: 'chat-1' } },
          { endpoint: 'beta:chat-b', wire: 'google', body: { contents, tools: [{ $block: 'x' }] } },
        ],
      },
    };
  });
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

/** A guardrail that asks for nothing. */
export function toGuardrail(id: string, changes: Partial<Guardrail> = {}): Guardrail {
  return {
    id,
    name: 'Guardrail',
    workspace_id: '00000000-0000-4000-8000-000000000000',
    created_at: '2026-03-01T10:00:00.000Z',
    updated_at: null,
    description: null,
    limit_usd: null,
    reset_interval: null,
    include_byok_in_budgets: false,
    allowed_models: null,
    ignored_models: null,
    allowed_providers: null,
    ignored_providers: null,
    allowed_data_regions: null,
    enforce_zdr: null,
    enforce_zdr_anthropic: null,
    enforce_zdr_openai: null,
    enforce_zdr_google: null,
    enforce_zdr_xai: null,
    enforce_zdr_other: null,
    enable_paid_model_training: null,
    enable_free_model_training: null,
    enable_free_model_publication: null,
    content_filter_builtins: null,
    content_filters: null,
    ...changes,
  };
}

/** Assigns a guardrail to a key or a member. */
export function toAssignment(guardrailId: string, subjectId: string): AssignmentRecord {
  const createdAt = '2026-03-01T10:00:00.000Z';
  return { id: `${guardrailId}-${subjectId}`, guardrailId, subjectId, assignedBy: null, createdAt };
}

/** A workspace with a budget a month and a member. */
export function toWorkspace(id: string): WorkspaceRecord {
  const at = '2026-03-01T10:00:00.000Z';
  return {
    id,
    workspace: {
      id,
      name: id,
      slug: id,
      description: null,
      default_text_model: null,
      default_image_model: null,
      default_provider_sort: null,
      default_callback_url: 'https://hooks.example/workspace',
      is_observability_broadcast_enabled: true,
      is_observability_io_logging_enabled: true,
      io_logging_sampling_rate: 1,
      io_logging_api_key_ids: null,
      is_data_discount_logging_enabled: false,
      default_guardrail_id: `default-of-${id}`,
      include_byok_in_budgets: false,
      created_at: at,
      created_by: null,
      updated_at: null,
    },
    budgets: [{ id: 'b', workspace_id: id, limit_usd: 5, reset_interval: 'monthly', created_at: at, updated_at: at }],
    members: [{ user_id: 'mo', role: 'member', created_at: at }],
  };
}

/** A provider with a sealed key. */
export function toProviderRow(id: string, changes: Partial<ProviderRecord> = {}): ProviderRecord {
  return {
    id,
    settings: { slug: id, wire: 'openai', baseUrl: 'https://up.example/v1', newer: { than: ['this', 'version'] } },
    enabled: true,
    sealed: 'sealed text',
    keyHint: '…1234',
    headerNames: ['x-team'],
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: null,
    ...changes,
  };
}

/** A key that a workspace brings. */
export function toGroup(id: string, changes: Partial<GroupRecord> = {}): GroupRecord {
  return {
    id,
    displayName: 'Team "A" \u0000',
    externalId: 'of the directory',
    members: ['m1', 'm2'],
    mappings: [
      {
        id: 'mapping',
        workspaceId: 'w',
        role: 'admin',
        createdAt: '2026-03-01T10:00:00.000Z',
        updatedAt: '2026-03-02T10:00:00.000Z',
      },
    ],
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: '2026-03-02T10:00:00.000Z',
    ...changes,
  };
}

export function toByokKey(id: string, changes: Partial<ByokKeyRecord> = {}): ByokKeyRecord {
  return {
    id,
    provider: 'up',
    label: '…1234',
    name: 'Team "A" \u0000',
    disabled: false,
    is_fallback: true,
    is_required: false,
    is_byok_only: false,
    declared_zdr: null,
    sort_order: 3,
    allowed_models: null,
    allowed_api_key_hashes: ['a'.repeat(64)],
    allowed_user_ids: null,
    workspace_id: 'w',
    created_at: '2026-03-01T10:00:00.000Z',
    sealed: 'sealed text',
    server: 'https://up.example',
    ...changes,
  };
}

/** A model with one endpoint. */
export function toModelRow(id: string, changes: Partial<ModelRecord> = {}): ModelRecord {
  return {
    id,
    definition: { id, endpoints: [{ provider: 'up', providerModel: 'm', pricing: { prompt: '0.000001' } }] },
    createdAt: '2026-03-01T10:00:00.000Z',
    updatedAt: null,
    ...changes,
  };
}

/** A video job that its provider has just taken. */
export function toVideoJob(id: string, changes: Partial<VideoJob> = {}): VideoJob {
  const now = Date.now();
  return {
    id,
    principalId: 'key-1',
    createdAt: now,
    updatedAt: now,
    deadlineAt: now + 3_600_000,
    baseUrl: 'https://gateway.example',
    model: 'acme/video',
    modelId: 'acme/video',
    endpointTag: 'acme',
    providerSlug: 'acme',
    providerName: 'Acme',
    providerModel: 'video',
    order: {
      prompt: 'a river',
      durationSeconds: undefined,
      size: undefined,
      resolution: undefined,
      aspectRatio: undefined,
      generateAudio: true,
      seed: undefined,
      creativity: undefined,
      upscaleFactor: undefined,
      frameImages: [],
      inputReferences: [],
      previousUpstreamId: undefined,
      options: {},
    },
    workspaceId: null,
    sessionId: null,
    user: null,
    status: 'pending',
    submission: 'sent',
    upstream: { upstreamId: 'u-1', providerModel: 'video' },
    error: null,
    generationId: `gen-${id}`,
    outputs: [],
    costNanoUsd: null,
    reservedNanoUsd: 1000,
    isByok: false,
    idempotency: null,
    delivery: null,
    ...changes,
  };
}
