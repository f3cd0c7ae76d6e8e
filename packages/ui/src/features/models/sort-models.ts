import { sortRows } from '../list-screen/sort-rows.ts';
import { toTokenPrice } from './model-facts.ts';
import type { ModelRow } from './model-figures.ts';
import type { ModelSort } from './model-search.ts';

/** What each order goes by; null for what is not known. */
const VALUES: Readonly<Record<ModelSort, (row: ModelRow) => number | string | null>> = {
  name: ({ model }) => model.name.toLowerCase(),
  providers: ({ providers }) => providers?.length ?? null,
  context: ({ model }) => model.context_length || null,
  prompt: ({ model }) => toTokenPrice(model.pricing, 'prompt'),
  completion: ({ model }) => toTokenPrice(model.pricing, 'completion'),
  latency: ({ figures }) => figures?.firstToken ?? null,
  speed: ({ figures }) => figures?.speed ?? null,
  uptime: ({ figures }) => figures?.uptime ?? null,
  requests: ({ figures }) => figures?.requests ?? null,
  spend: ({ figures }) => figures?.usd ?? null,
  added: ({ model }) => model.created || null,
};

/** The rows in an order; what is not known stands last. Without an order they stay as they are. */
export const sortModels = (
  rows: readonly ModelRow[],
  sort: ModelSort | undefined,
  order: 'asc' | 'desc',
): readonly ModelRow[] => sortRows(rows, sort && { by: sort, order }, VALUES);
