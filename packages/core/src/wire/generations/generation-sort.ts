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
