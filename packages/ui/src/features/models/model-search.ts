import { OUTPUTS } from '../../app/call-kinds.ts';
import { readTexts } from '../../app/read-texts.ts';

/** The filters of the models screen, named and spelt like the query of `GET /models`; those from `sort` on are ours. */
export interface ModelSearch {
  readonly q?: string;
  readonly input_modalities?: string;
  readonly output_modalities?: string;
  readonly supported_parameters?: string;
  readonly context?: string;
  readonly max_price?: string;
  readonly max_output_price?: string;
  /** `true` shows what endpoints serve that keep nothing. */
  readonly zdr?: string;
  readonly providers?: string;
  readonly model_authors?: string;
  readonly sort?: ModelSort;
  /** Default: the greatest first, and names from A on. */
  readonly order?: 'asc' | 'desc';
  /** `chart` compares the models in a chart. */
  readonly view?: 'chart';
  /** `true` shows what the account's settings leave. */
  readonly usable?: string;
  /** The id of the model beside the list. */
  readonly open?: string;
  /** Ids of the models to compare, comma-separated. */
  readonly compare?: string;
}

const FILTERS = [
  'q',
  'input_modalities',
  'output_modalities',
  'supported_parameters',
  'context',
  'max_price',
  'max_output_price',
  'zdr',
  'providers',
  'model_authors',
] as const satisfies readonly (keyof ModelSearch)[];
const NUMBERS = ['context', 'max_price', 'max_output_price'] as const;
const SORTS = [
  'name',
  'providers',
  'context',
  'prompt',
  'completion',
  'latency',
  'speed',
  'uptime',
  'requests',
  'spend',
  'added',
] as const;
export type ModelSort = (typeof SORTS)[number];
export const MAX_COMPARED = 4;

/** Reads the filters of an address; what makes no sense is left out. */
export function toModelSearch(search: Record<string, unknown>): ModelSearch {
  const { sort, order, view, ...found } = readTexts(search, [
    ...FILTERS,
    'sort',
    'order',
    'view',
    'usable',
    'open',
    'compare',
  ]);
  const { zdr, output_modalities: outputs } = found;
  if (zdr !== 'true') delete found.zdr;
  if (!splitWords(outputs).every((word) => OUTPUTS.includes(word))) delete found.output_modalities;
  for (const name of NUMBERS) if (!(Number(found[name]) >= 0)) delete found[name];
  const by = SORTS.find((known) => known === sort);
  return {
    ...found,
    ...(by !== undefined && { sort: by }),
    ...(by !== undefined && (order === 'asc' || order === 'desc') && { order }),
    ...(view === 'chart' && { view }),
  };
}

/** The query for the gateway. Without a word on outputs the gateway shows models of text alone, the screen all. */
export function toModelQuery(search: ModelSearch): Record<string, string | undefined> {
  return {
    output_modalities: 'all',
    ...Object.fromEntries(FILTERS.map((name) => [name, search[name]]).filter(([, value]) => value)),
  };
}

export const hasModelFilters = (search: ModelSearch): boolean =>
  search.usable === 'true' || FILTERS.some((name) => search[name] !== undefined);

/** Takes a word into a comma-separated list, or out of it; undefined when none is left. */
export function toggleWord(
  list: string | undefined,
  word: string,
  limit = Number.POSITIVE_INFINITY,
): string | undefined {
  const words = splitWords(list);
  const next = words.includes(word) ? words.filter((other) => other !== word) : [...words, word].slice(0, limit);
  return next.length === 0 ? undefined : next.join(',');
}

export const splitWords = (list: string | undefined): string[] => list?.split(',').filter(Boolean) ?? [];
