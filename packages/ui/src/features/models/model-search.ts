import { OUTPUTS } from '../../app/call-kinds.ts';
import { readTexts } from '../../app/read-texts.ts';

/** The filters of the models screen, named and spelt like the query of `GET /models`; `open` and `compare` are ours. */
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
  readonly sort?: string;
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
  'sort',
] as const satisfies readonly (keyof ModelSearch)[];
const NUMBERS = ['context', 'max_price', 'max_output_price'] as const;
export const SORTS = [
  ['', 'Catalog order'],
  ['newest', 'Newest first'],
  ['pricing-low-to-high', 'Cheapest first'],
  ['pricing-high-to-low', 'Most expensive first'],
  ['context-high-to-low', 'Longest context first'],
] as const;
export const MAX_COMPARED = 4;

/** Reads the filters of an address; what makes no sense is left out. */
export function toModelSearch(search: Record<string, unknown>): ModelSearch {
  const found = readTexts(search, [...FILTERS, 'usable', 'open', 'compare']);
  const { zdr, sort, output_modalities: outputs } = found;
  if (zdr !== 'true') delete found.zdr;
  if (!SORTS.some(([known]) => known === sort)) delete found.sort;
  if (!splitWords(outputs).every((word) => OUTPUTS.includes(word))) delete found.output_modalities;
  for (const name of NUMBERS) if (!(Number(found[name]) >= 0)) delete found[name];
  return found;
}

/** The query for the gateway. Without a word on outputs the gateway shows models of text alone, the screen all. */
export function toModelQuery(search: ModelSearch): Record<string, string | undefined> {
  return {
    output_modalities: 'all',
    ...Object.fromEntries(FILTERS.map((name) => [name, search[name]]).filter(([, value]) => value)),
  };
}

export const hasModelFilters = (search: ModelSearch): boolean =>
  search.usable === 'true' || FILTERS.some((name) => name !== 'sort' && search[name] !== undefined);

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
