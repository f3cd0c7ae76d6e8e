/** What a list of generations can be sorted by. */
export const GENERATION_SORTS = [
  'time',
  'cost',
  'duration',
  'latency',
  'tokens_in',
  'tokens_out',
  'speed',
  'attempts',
  'model',
  'provider',
  'status',
] as const;
export type GenerationSort = (typeof GENERATION_SORTS)[number];

export const SORT_ORDERS = ['asc', 'desc'] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** Matches, in filters, generations without a value: calls without a provider, a member, an app or a session. */
export const NO_VALUE = 'none';

/**
 * What a condition on generations can be about, with what its values are. A generation may have several values of some fields, of
 * which one has to match.
 */
export const GENERATION_FIELDS = {
  id: 'text',
  request: 'text',
  upstream_id: 'text',
  session: 'text',
  model: 'text',
  router: 'text',
  rule: 'text',
  provider: 'text',
  upstream: 'text',
  endpoint: 'text',
  type: 'text',
  app: 'text',
  agent: 'text',
  user: 'text',
  member: 'text',
  key: 'text',
  workspace: 'text',
  preset: 'text',
  region: 'text',
  tier: 'text',
  status: 'text',
  finish: 'text',
  native_finish: 'text',
  error: 'text',
  stage: 'text',
  guardrail: 'text',
  feedback: 'text',
  search_engine: 'text',
  streamed: 'yes-no',
  byok: 'yes-no',
  fallback: 'yes-no',
  cached: 'yes-no',
  estimated: 'yes-no',
  priced: 'yes-no',
  cost: 'usd',
  upstream_cost: 'usd',
  cache_discount: 'usd',
  latency: 'time',
  duration: 'time',
  moderation: 'time',
  attempts: 'number',
  in: 'number',
  out: 'number',
  reasoning: 'number',
  cached_tokens: 'number',
  native_in: 'number',
  native_out: 'number',
  media_in: 'number',
  media_out: 'number',
  audio_in: 'number',
  searches: 'number',
  fetches: 'number',
  speed: 'number',
} as const;
export type GenerationField = keyof typeof GENERATION_FIELDS;
export type FieldKind = (typeof GENERATION_FIELDS)[GenerationField];
