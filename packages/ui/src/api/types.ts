/*
 * What the gateway answers, as far as the screens read it. The schemas behind it are the gateway's; a field that it may
 * leave out is optional here.
 */

export interface Pricing {
  readonly prompt: string;
  readonly completion: string;
  readonly [unit: string]: unknown;
}

export interface Model {
  readonly id: string;
  readonly canonical_slug: string;
  readonly name: string;
  readonly description: string;
  /** Unix seconds. */
  readonly created: number;
  readonly context_length: number | null;
  readonly architecture: {
    readonly input_modalities: readonly string[];
    readonly output_modalities: readonly string[];
    readonly tokenizer: string;
  };
  readonly pricing: Pricing;
  readonly top_provider: { readonly max_completion_tokens: number | null };
  readonly supported_parameters: readonly string[];
  readonly knowledge_cutoff: string | null;
  readonly expiration_date: string | null;
}

export interface ModelList {
  readonly data: readonly Model[];
  readonly total_count: number;
}

/** Milliseconds or tokens a second by percentile; absent until enough calls were made. */
type Percentiles = Readonly<Record<string, number>> | null;

export interface ModelEndpoint {
  readonly name: string;
  readonly provider_name: string;
  readonly tag: string;
  readonly quantization: string | null;
  readonly context_length: number;
  readonly max_completion_tokens: number | null;
  readonly pricing: Pricing;
  readonly supported_parameters: readonly string[];
  readonly status: number;
  readonly uptime_last_1d: number | null;
  readonly latency_last_30m: Percentiles;
  readonly throughput_last_30m: Percentiles;
}

export interface ModelEndpoints {
  readonly data: { readonly id: string; readonly endpoints: readonly ModelEndpoint[] };
}

export interface EndpointExplanation {
  readonly provider: string;
  readonly provider_name: string;
  readonly model: string;
  readonly provider_model: string;
  readonly included: boolean;
  readonly rank: number | null;
  readonly rule: string | null;
  readonly guardrail_id: string | null;
  readonly price: { readonly prompt: string | null; readonly completion: string | null };
  readonly health: { readonly standing: string; readonly uptime_last_1d: number | null };
}

export interface RoutingExplanation {
  readonly data: {
    readonly requested: string;
    readonly strategy: string;
    readonly region: string | null;
    readonly models: readonly string[];
    readonly endpoints: readonly EndpointExplanation[];
  };
}

export interface ProviderResponse {
  readonly endpoint_id?: string;
  readonly id?: string;
  readonly is_byok?: boolean;
  /** Milliseconds from dispatch to the first chunk or the failure. */
  readonly latency?: number;
  readonly model_permaslug?: string;
  readonly provider_name?: string;
  readonly status: number | null;
}

export interface PipelineStage {
  readonly type: string;
  readonly name: string;
  readonly [fact: string]: unknown;
}

export interface Generation {
  readonly id: string;
  readonly request_id: string | null;
  readonly upstream_id: string | null;
  readonly session_id: string | null;
  readonly created_at: string;
  readonly model: string;
  readonly router: string | null;
  readonly provider_name: string | null;
  readonly api_type: string;
  readonly origin: string;
  readonly user_agent: string | null;
  readonly external_user: string | null;
  readonly data_region: string;
  readonly is_byok: boolean;
  readonly streamed: boolean | null;
  readonly cancelled: boolean | null;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
  readonly service_tier: string | null;
  readonly tokens_prompt: number | null;
  readonly tokens_completion: number | null;
  readonly native_tokens_prompt: number | null;
  readonly native_tokens_completion: number | null;
  readonly native_tokens_reasoning: number | null;
  readonly native_tokens_cached: number | null;
  readonly total_cost: number;
  readonly cost_known: boolean;
  readonly usage_estimated: boolean;
  /** Milliseconds to the first chunk. */
  readonly latency: number | null;
  readonly generation_time: number | null;
  readonly moderation_latency: number | null;
  readonly provider_responses: readonly ProviderResponse[] | null;
  readonly pipeline?: readonly PipelineStage[];
  readonly feedback?: readonly {
    readonly category: string;
    readonly comment: string | null;
    readonly created_at: string;
  }[];
}

export type GenerationStatus = 'ok' | 'failed' | 'cancelled';

/** A generation as lists show it. */
export interface GenerationRow extends Generation {
  readonly status: GenerationStatus;
  readonly key_hash: string;
  readonly user_id: string | null;
  /** How often an endpoint was asked. */
  readonly attempts: number;
}

/** Rows are whole unless the query names `fields`. */
export interface GenerationList<Row = GenerationRow> {
  readonly data: readonly Row[];
  /** Null at the end. A page may be short, even empty, before that. */
  readonly next_cursor: string | null;
  /** Of the keys in `data`, by their hashes; those of the configuration are in no other list. */
  readonly key_names: Readonly<Record<string, string>>;
  readonly total_estimate?: number;
  /** With a text alone: how many records were looked at for this page, and when the oldest of them began. */
  readonly searched?: { readonly records: number; readonly back_to: string | null };
}

export interface GenerationHistogram {
  readonly data: readonly {
    readonly start: string;
    readonly requests: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly cost: number;
  }[];
  readonly from: string;
  readonly to: string;
  readonly bucket_ms: number;
  readonly facets?: GenerationFacets;
}

/** Each value with how many calls it would leave under all other filters, the commonest first. */
export interface GenerationFacets {
  readonly total: number;
  readonly status: readonly FacetValue[];
  readonly model: readonly FacetValue[];
  readonly provider: readonly FacetValue[];
  readonly key: readonly FacetValue[];
}

export interface FacetValue {
  readonly value: string;
  readonly requests: number;
}

/** When the text of a streamed answer came; member n of each list tells of arrival n. */
export interface StreamTimeline {
  /** What came within this many milliseconds of an arrival's beginning belongs to it. */
  readonly interval_ms: number;
  /** Milliseconds since the arrival before; for the first, since the call began. */
  readonly gaps_ms: readonly number[];
  /** Lengths of what came of the completion and of the reasoning. */
  readonly text: readonly number[];
  readonly reasoning?: readonly number[];
}

export interface ToolCall {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

export interface GenerationContent {
  readonly input: { readonly messages?: readonly unknown[]; readonly prompt?: string };
  readonly output: {
    readonly completion: string | null;
    readonly reasoning: string | null;
    readonly tool_calls?: readonly ToolCall[];
    readonly server_tool_calls?: readonly {
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly result: string;
      readonly status: string;
    }[];
  };
  readonly error: {
    readonly message: string | null;
    readonly status: number | null;
    readonly provider_name: string | null;
    readonly raw: string | null;
    readonly previous_errors: readonly {
      readonly code: number;
      readonly message: string;
      readonly provider_name?: string;
    }[];
  } | null;
}

export type ResetInterval = 'daily' | 'weekly' | 'monthly';

export interface Key {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly limit: number | null;
  readonly limit_remaining: number | null;
  readonly limit_reset: ResetInterval | null;
  readonly include_byok_in_limit: boolean;
  readonly usage: number;
  readonly usage_daily: number;
  readonly usage_monthly: number;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly management: boolean;
}

export type FilterAction = 'block' | 'redact' | 'flag';

export interface BuiltinFilter {
  readonly slug: string;
  readonly action: FilterAction;
  readonly direction?: string;
  readonly scan_scope?: string;
}

export interface CustomFilter {
  readonly pattern: string;
  readonly action: FilterAction;
  readonly label?: string | null;
  readonly direction?: string;
}

export interface Guardrail {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly limit_usd: number | null;
  readonly reset_interval: ResetInterval | null;
  readonly include_byok_in_budgets: boolean;
  readonly allowed_models: readonly string[] | null;
  readonly ignored_models: readonly string[] | null;
  readonly allowed_providers: readonly string[] | null;
  readonly ignored_providers: readonly string[] | null;
  readonly enforce_zdr: boolean | null;
  readonly enable_paid_model_training: boolean | null;
  readonly enable_free_model_training: boolean | null;
  readonly enable_free_model_publication: boolean | null;
  readonly content_filter_builtins: readonly BuiltinFilter[] | null;
  readonly content_filters: readonly CustomFilter[] | null;
  readonly created_at: string;
}

export interface KeyAssignment {
  readonly id: string;
  readonly guardrail_id: string;
  readonly key_hash: string;
  readonly key_name: string;
}

interface TestOutcome {
  readonly action: 'allow' | 'flag' | 'redact' | 'block';
  readonly stages: readonly {
    readonly name: string;
    readonly data: { readonly action: string; readonly [fact: string]: unknown };
  }[];
}

export interface GuardrailTest {
  readonly data: {
    readonly request:
      | (TestOutcome & {
          readonly redacted_messages: readonly unknown[] | null;
          readonly excluded: readonly { readonly provider: string; readonly model: string; readonly rule: string }[];
          readonly endpoints_left: number;
        })
      | null;
    readonly generations: {
      readonly tested: number;
      readonly without_content: number;
      readonly blocked: number;
      readonly redacted: number;
      readonly flagged: number;
      readonly excluded: number;
      readonly results: readonly {
        readonly id: string;
        readonly model: string;
        readonly created_at: string;
        readonly input: TestOutcome | null;
        readonly output: TestOutcome | null;
        readonly excluded: { readonly provider: string; readonly rule: string } | null;
      }[];
    } | null;
  };
}

export interface Settings {
  readonly default_model: string | null;
  readonly providers: { readonly only: readonly string[]; readonly ignore: readonly string[] };
  readonly privacy: { readonly zdr: boolean; readonly allow_training: boolean };
  readonly credits_usd: number | null;
}

export interface ActivityItem {
  readonly date: string;
  readonly model: string;
  readonly provider_name: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly usage: number;
}

export interface Provider {
  readonly name: string;
  readonly slug: string;
}

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly total_count: number;
}
