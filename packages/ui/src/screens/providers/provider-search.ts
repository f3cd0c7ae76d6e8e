import { readTexts } from '../../app/read-texts.ts';

const SORTS = ['name', 'requests', 'errors', 'p50', 'p95', 'speed', 'spend', 'models'] as const;
export type ProviderSort = (typeof SORTS)[number];

export interface ProviderSearch {
  /** Part of a name, slug or host. */
  readonly q?: string;
  readonly status?: string;
  readonly sort?: ProviderSort;
  /** Default: the greatest first, and names from A on. */
  readonly order?: 'asc' | 'desc';
  /** The slug of the provider beside the list. */
  readonly open?: string;
}

export function toProviderSearch(search: Record<string, unknown>): ProviderSearch {
  const { sort, order, ...found } = readTexts(search, ['q', 'status', 'sort', 'order', 'open']);
  const by = SORTS.find((known) => known === sort);
  return {
    ...found,
    ...(by !== undefined && { sort: by }),
    ...(by !== undefined && (order === 'asc' || order === 'desc') && { order }),
  };
}
