import type { CodexModel, Model } from '../../wire/models.ts';

/** Codex cuts what its tools return to this length. */
const TRUNCATION = { mode: 'bytes', limit: 10_000 };
const EFFORTS = [
  { effort: 'low', description: 'Fast' },
  { effort: 'medium', description: 'Balanced' },
  { effort: 'high', description: 'Thorough' },
];

/** The models that can be an agent's, as Codex asks for them (wire.md 22.2). */
export function toCodexModels(models: readonly Model[]): CodexModel[] {
  return models
    .filter(({ supported_parameters: parameters }) => parameters.length === 0 || parameters.includes('tools'))
    .map((model, index) => toCodexModel(model, index));
}

function toCodexModel(model: Model, priority: number): CodexModel {
  const parameters = model.supported_parameters;
  const reasons = parameters.includes('reasoning');
  return {
    slug: model.id,
    display_name: model.name,
    description: model.description === '' ? null : model.description,
    supported_reasoning_levels: reasons ? EFFORTS : [],
    default_reasoning_level: reasons ? 'medium' : null,
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority,
    availability_nux: null,
    upgrade: null,
    base_instructions: '',
    support_verbosity: parameters.includes('verbosity'),
    default_verbosity: null,
    supports_reasoning_summaries: reasons,
    supports_parallel_tool_calls: parameters.includes('parallel_tool_calls'),
    apply_patch_tool_type: null,
    truncation_policy: TRUNCATION,
    context_window: model.context_length,
    input_modalities: model.architecture.input_modalities.filter((kind) => kind === 'text' || kind === 'image'),
    experimental_supported_tools: [],
  };
}

interface AnthropicPage {
  readonly data: readonly (Model & {
    readonly type: 'model';
    readonly display_name: string;
    readonly created_at: string;
  })[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

/** A page of models with the fields by which Anthropic's clients read it. */
export function toAnthropicPage(models: readonly Model[], hasMore: boolean): AnthropicPage {
  return {
    data: models.map((model) => ({
      ...model,
      type: 'model',
      display_name: model.name,
      created_at: new Date(model.created * 1000).toISOString(),
    })),
    has_more: hasMore,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}
