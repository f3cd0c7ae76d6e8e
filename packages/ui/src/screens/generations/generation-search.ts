import type { ListRow } from './list-row.ts';

/** The filters of the generations screen, named and spelt like the query of `GET /admin/v1/generations`; the last three are ours. */
export interface GenerationSearch {
  /** ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly key?: string;
  readonly session?: string;
  readonly status?: string;
  readonly min_cost?: string;
  readonly max_cost?: string;
  readonly text?: string;
  /** Instead of `from`: how far back, counted from now. */
  readonly range?: string;
  /** The id of the generation beside the list. */
  readonly open?: string;
  /** Ids of two generations to compare. */
  readonly compare?: string;
}

const FILTERS = [
  'from',
  'to',
  'model',
  'provider',
  'key',
  'session',
  'status',
  'min_cost',
  'max_cost',
  'text',
] as const;
type FilterName = (typeof FILTERS)[number];

export const RANGES: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
};

/** Reads the filters of an address; what the gateway would refuse is left out. */
export function toGenerationSearch(search: Record<string, unknown>): GenerationSearch {
  const found: Record<string, string> = {};
  for (const name of [...FILTERS, 'open', 'compare'] as const) {
    const value = search[name];
    if (typeof value === 'string' && value !== '' && isValid(name, value)) found[name] = value;
  }
  const { range } = search;
  if (typeof range === 'string' && Object.hasOwn(RANGES, range) && found['from'] === undefined) found['range'] = range;
  return found;
}

function isValid(name: FilterName | 'open' | 'compare', value: string): boolean {
  switch (name) {
    case 'from':
    case 'to':
      return !Number.isNaN(Date.parse(value));
    case 'min_cost':
    case 'max_cost':
      return /^\d{1,9}(\.\d{1,12})?$/.test(value);
    case 'status':
      return value.split(',').every((status) => ['ok', 'failed', 'cancelled'].includes(status));
    case 'text':
      return value.trim().length >= 2;
    default:
      return true;
  }
}

/** The query for the gateway. `now` fixes what a range means. */
export function toGenerationQuery(search: GenerationSearch, now: number): Record<string, string | undefined> {
  const range = RANGES[search.range ?? ''];
  const given = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  return range === undefined ? given : { ...given, from: new Date(now - range.ms).toISOString() };
}

export const hasGenerationFilters = (search: GenerationSearch): boolean =>
  search.range !== undefined || FILTERS.some((name) => search[name] !== undefined);

/** Whether a generation that has just ended belongs to the list. Texts are looked for by the gateway alone: undefined. */
export function belongsTo(row: ListRow, search: GenerationSearch): boolean | undefined {
  const has = (list: string | undefined, ...values: (string | null)[]): boolean =>
    list === undefined || values.some((value) => value !== null && list.split(',').includes(value));
  const at = Date.parse(row.created_at);
  const isWithin =
    has(search.model, row.model) &&
    has(search.key, row.key_hash) &&
    has(search.status, row.status) &&
    has(search.session, row.session_id) &&
    row.total_cost >= Number(search.min_cost ?? 0) &&
    row.total_cost <= Number(search.max_cost ?? Number.POSITIVE_INFINITY) &&
    at >= Date.parse(search.from ?? '1970-01-01') &&
    at < Date.parse(search.to ?? '9999-01-01');
  if (!isWithin) return false;
  // A provider may be named by its slug, which the row does not have.
  return search.text === undefined && has(search.provider, row.provider_name) ? true : undefined;
}
