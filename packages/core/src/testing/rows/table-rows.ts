import type { AssignmentRecord, ModelRecord, ProviderRecord, WorkspaceRecord } from '../../stores/store.ts';
import type { Guardrail } from '../../wire/guardrails.ts';

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

/** That a guardrail holds for a key or a member. */
export function toAssignment(guardrailId: string, subjectId: string): AssignmentRecord {
  const createdAt = '2026-03-01T10:00:00.000Z';
  return { id: `${guardrailId}-${subjectId}`, guardrailId, subjectId, assignedBy: null, createdAt };
}

/** A workspace with a budget a month. */
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
