import type { FieldKind, GENERATION_FIELDS, GenerationField } from '@model-gateway/core/wire';

interface FilterField<Kind extends FieldKind = FieldKind> {
  readonly kind: Kind;
  /** What it is, for suggestions. */
  readonly about: string;
  /** Values that are always suggested. */
  readonly values?: readonly string[];
}

const YES_NO = ['yes', 'no'] as const;

/** The fields of the filter language, as the gateway has them, the most useful first. */
export const FILTER_FIELDS: { readonly [Name in GenerationField]: FilterField<(typeof GENERATION_FIELDS)[Name]> } = {
  model: { kind: 'text', about: 'Model, whole or with *' },
  provider: { kind: 'text', about: 'Provider that was asked last' },
  key: { kind: 'text', about: 'Key, by its name' },
  status: { kind: 'text', about: 'How it ended', values: ['ok', 'failed', 'cancelled', 'interrupted'] },
  cost: { kind: 'usd', about: 'USD, such as cost>0.05' },
  attempts: { kind: 'number', about: 'Endpoints that were asked, such as attempts>1' },
  latency: { kind: 'time', about: 'Time until the response began, such as latency>=2s' },
  duration: { kind: 'time', about: 'Time until it ended' },
  error: {
    kind: 'text',
    about: 'Why an attempt failed: a type or an HTTP status',
    values: [
      'rate_limit_exceeded',
      'provider_overloaded',
      'provider_unavailable',
      'timeout',
      'context_length_exceeded',
      'invalid_request',
      'content_policy_violation',
      'authentication',
      'not_found',
      'permission_denied',
      'payment_required',
      'server',
    ],
  },
  app: { kind: 'text', about: 'App that called, by its address' },
  agent: { kind: 'text', about: 'User agent, such as agent:*openai*' },
  user: { kind: 'text', about: 'User, in the words of the app' },
  session: { kind: 'text', about: 'Session' },
  in: { kind: 'number', about: 'Tokens of the prompt, such as in>10k' },
  out: { kind: 'number', about: 'Tokens of the completion' },
  speed: { kind: 'number', about: 'Tokens a second' },
  finish: {
    kind: 'text',
    about: 'Why the model stopped',
    values: ['stop', 'length', 'tool_calls', 'content_filter', 'error'],
  },
  fallback: { kind: 'yes-no', about: 'More than one endpoint was asked', values: YES_NO },
  streamed: { kind: 'yes-no', about: 'Streamed, or in one piece', values: YES_NO },
  cached: { kind: 'yes-no', about: 'From the response cache', values: YES_NO },
  byok: { kind: 'yes-no', about: 'Paid to the provider directly', values: YES_NO },
  priced: { kind: 'yes-no', about: 'Its prices are known', values: YES_NO },
  estimated: { kind: 'yes-no', about: 'Its tokens are estimates', values: YES_NO },
  type: { kind: 'text', about: 'Kind of call', values: ['completions', 'embeddings', 'video'] },
  member: { kind: 'text', about: 'Member that the key belongs to' },
  workspace: { kind: 'text', about: 'Workspace' },
  region: { kind: 'text', about: 'Region that was called', values: ['global', 'europe', 'us'] },
  router: { kind: 'text', about: 'Router that chose the model' },
  rule: { kind: 'text', about: 'Rule that chose the model' },
  upstream: { kind: 'text', about: 'Provider behind a gateway' },
  endpoint: { kind: 'text', about: 'Endpoint that was asked' },
  tier: { kind: 'text', about: 'Service tier', values: ['flex', 'priority'] },
  guardrail: { kind: 'text', about: 'Guardrail that had an effect, by its id' },
  stage: {
    kind: 'text',
    about: 'Guardrail, plugin or tool that had an effect',
    values: ['guardrail', 'plugin', 'server_tools', 'response_healing', 'context_compression'],
  },
  feedback: { kind: 'text', about: 'Kind of feedback' },
  preset: { kind: 'text', about: 'Preset' },
  search_engine: { kind: 'text', about: 'Engine of the web search' },
  native_finish: { kind: 'text', about: 'Why it stopped, in the words of the provider' },
  reasoning: { kind: 'number', about: 'Tokens of reasoning' },
  cached_tokens: { kind: 'number', about: 'Tokens of the prompt that were cached' },
  native_in: { kind: 'number', about: 'Tokens of the prompt, as the provider counts' },
  native_out: { kind: 'number', about: 'Tokens of the completion, as the provider counts' },
  media_in: { kind: 'number', about: 'Images of the prompt' },
  media_out: { kind: 'number', about: 'Images of the completion' },
  audio_in: { kind: 'number', about: 'Pieces of audio of the prompt' },
  searches: { kind: 'number', about: 'Results of web searches' },
  fetches: { kind: 'number', about: 'Pages that were fetched' },
  upstream_cost: { kind: 'usd', about: 'What the provider says it has cost' },
  cache_discount: { kind: 'usd', about: 'What the cache has saved' },
  moderation: { kind: 'time', about: 'Time that moderation took' },
  id: { kind: 'text', about: 'Id of the call' },
  request: { kind: 'text', about: 'Id of the request' },
  upstream_id: { kind: 'text', about: 'Id that the provider gave' },
};

export const isField = (name: string): name is GenerationField => Object.hasOwn(FILTER_FIELDS, name);
