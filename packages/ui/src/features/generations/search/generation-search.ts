import type { GenerationSort } from '@model-gateway/core/wire';

import { readTexts } from '../../../app/read-texts.ts';
import { isPeriod, toPeriodEnd, toPeriodStart } from '../../../format/days.ts';
import { isStatus } from '../list/generation-status.tsx';
import type { ListRow } from '../list/list-row.ts';

/** The filters of the generations screen, named and spelt like the query of `GET /admin/v1/generations`; those from `range` on are ours. */
export interface GenerationSearch {
  /** ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly key?: string;
  readonly member?: string;
  readonly app?: string;
  readonly session?: string;
  readonly status?: string;
  readonly min_cost?: string;
  readonly max_cost?: string;
  /** Conditions on any field, in the filter language. */
  readonly where?: string;
  readonly text?: string;
  /** Instead of `from`: how far back, counted from now. */
  readonly range?: string;
  /** What the list is sorted by, when not by time with the newest first. */
  readonly sort?: string;
  readonly order?: string;
  /** `1` lists what this browser has pinned, whatever the filters. */
  readonly pinned?: string;
  /** `1` lists requests that were refused before they became calls, instead of these. */
  readonly refused?: string;
  /** What requests are added up by, instead of being listed. */
  readonly group?: string;
  /** The id of the generation beside the list. */
  readonly open?: string;
  /** Ids of two generations to compare. */
  readonly compare?: string;
  /** The tab of the open generation; absent for the first. */
  readonly tab?: string;
}

/** What requests of the list can be added up by. */
export const GROUPINGS = ['model', 'provider', 'key', 'app', 'session', 'day'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export const isGrouping = (text: string | undefined): text is Grouping => GROUPINGS.some((name) => name === text);

const FILTERS = [
  'from',
  'to',
  'model',
  'provider',
  'key',
  'member',
  'app',
  'session',
  'status',
  'min_cost',
  'max_cost',
  'where',
  'text',
] as const;
type FilterName = (typeof FILTERS)[number];

/** Reads the filters of an address; what the gateway would refuse is left out. */
export function toGenerationSearch(search: Record<string, unknown>): GenerationSearch {
  const texts = readTexts(search, [...FILTERS, 'pinned', 'refused', 'group', 'open', 'compare', 'tab']);
  const found: GenerationSearch = Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => isValid(name, text)),
  );
  const { range } = search;
  return { ...found, ...(isPeriod(range) && found.from === undefined && { range }), ...toSortSearch(search) };
}

const SORTS: ReadonlySet<string> = new Set<GenerationSort>([
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
]);

/** The order of the list; nothing for the newest first. */
function toSortSearch({ sort, order }: Record<string, unknown>): Pick<GenerationSearch, 'sort' | 'order'> {
  if (typeof sort !== 'string' || !SORTS.has(sort)) return {};
  const isAscending = order === 'asc';
  return sort === 'time' && !isAscending ? {} : { sort, order: isAscending ? 'asc' : 'desc' };
}

/** The same for the gateway, which looks for a text from the newest call on alone. */
export const toSortQuery = ({ sort, order, text }: GenerationSearch): Pick<GenerationSearch, 'sort' | 'order'> =>
  sort === undefined || text !== undefined ? {} : { sort, order: order ?? 'desc' };

function isValid(name: string, value: string): boolean {
  switch (name) {
    case 'from':
    case 'to':
      return !Number.isNaN(Date.parse(value));
    case 'min_cost':
    case 'max_cost':
      return /^\d{1,9}(\.\d{1,12})?$/.test(value);
    case 'status':
      return value.split(',').every(isStatus);
    case 'text':
      return value.trim().length >= 2;
    case 'group':
      return isGrouping(value);
    case 'refused':
    case 'pinned':
      return value === '1';
    default:
      return true;
  }
}

/** The query for the gateway. `now` fixes what a range means. */
export function toGenerationQuery(search: GenerationSearch, now: number): Record<string, string | undefined> {
  const { range } = search;
  const given = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  if (!isPeriod(range)) return given;
  const endMs = toPeriodEnd(range, now);
  return {
    ...given,
    from: new Date(toPeriodStart(range, now)).toISOString(),
    ...(endMs !== null && { to: new Date(endMs).toISOString() }),
  };
}

/** Whether the span of a search ends now, whenever that is. */
export const isOpenSpan = ({ range, to }: Pick<GenerationSearch, 'range' | 'to'>): boolean =>
  to === undefined && !(isPeriod(range) && toPeriodEnd(range, 0) !== null);

export const hasGenerationFilters = (search: GenerationSearch): boolean =>
  search.range !== undefined || FILTERS.some((name) => search[name] !== undefined);

/** No filter at all, for what is put in place of all of them. */
export const NO_FILTERS = {
  from: undefined,
  to: undefined,
  range: undefined,
  model: undefined,
  provider: undefined,
  key: undefined,
  member: undefined,
  app: undefined,
  session: undefined,
  status: undefined,
  min_cost: undefined,
  max_cost: undefined,
  where: undefined,
  text: undefined,
  pinned: undefined,
} as const satisfies { readonly [Name in FilterName | 'range' | 'pinned']: undefined };

/** The parts of the filters, each of which may be why nothing is found. */
export const FILTER_PARTS = [
  { part: 'time', names: ['from', 'to', 'range'] },
  { part: 'model', names: ['model'] },
  { part: 'provider', names: ['provider'] },
  { part: 'key', names: ['key'] },
  { part: 'member', names: ['member'] },
  { part: 'app', names: ['app'] },
  { part: 'session', names: ['session'] },
  { part: 'status', names: ['status'] },
  { part: 'cost', names: ['min_cost', 'max_cost'] },
  { part: 'conditions', names: ['where'] },
] as const satisfies readonly { readonly part: string; readonly names: readonly (keyof GenerationSearch)[] }[];

/** The filters without some of them. */
export function withoutFilters(search: GenerationSearch, names: readonly (keyof GenerationSearch)[]): GenerationSearch {
  return Object.fromEntries(Object.entries(search).filter(([name]) => !names.some((other) => other === name)));
}

/** A search with a change made; what is undefined or empty is removed. */
export function withChange(before: GenerationSearch, change: object): GenerationSearch {
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));
}

/** Stands for calls without a provider, a member, an app or a session. */
const NONE = 'none';

/** Whether a generation that has just ended belongs to the list; undefined where the gateway alone can tell. */
export function belongsTo(row: ListRow, search: GenerationSearch): boolean | undefined {
  if (search.pinned !== undefined) return false;
  const has = (list: string | undefined, ...values: (string | null)[]): boolean =>
    list === undefined || values.some((value) => value !== null && list.split(',').includes(value));
  const at = Date.parse(row.created_at);
  const { from = '1970-01-01', to = '9999-01-01' } = toGenerationQuery(search, Date.now());
  const isWithin =
    has(search.model, row.model) &&
    has(search.key, row.key_hash) &&
    has(search.status, row.status) &&
    has(search.session, row.session_id ?? NONE) &&
    row.total_cost >= Number(search.min_cost ?? 0) &&
    row.total_cost <= Number(search.max_cost ?? Number.POSITIVE_INFINITY) &&
    at >= Date.parse(from) &&
    at < Date.parse(to);
  if (!isWithin) return false;
  // A row has neither its member nor its user agent, nor the slug by which its provider may be named.
  const { text, where, member, app } = search;
  const isKnown = [text, where, member, app].every((filter) => filter === undefined);
  return isKnown && has(search.provider, row.provider_name) ? true : undefined;
}
