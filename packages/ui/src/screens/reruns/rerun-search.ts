import { readTexts } from '../../app/read-texts.ts';
import { type GenerationSearch, toGenerationSearch } from '../../features/generations/search/generation-search.ts';

/** The address of the list of reruns. With `new`, the form is open, and the rest says which calls it begins with. */
export interface RerunSearch extends GenerationSearch {
  /** `1` opens the form for a new rerun. */
  readonly new?: string;
  /** Ids of generations, separated by commas, instead of the filters. */
  readonly ids?: string;
}

/** What a list of generations has beside its filters and its span. */
const NO_FILTERS: ReadonlySet<string> = new Set([
  'sort',
  'order',
  'pinned',
  'refused',
  'group',
  'open',
  'compare',
  'tab',
]);

export const toRerunSearch = (search: Record<string, unknown>): RerunSearch => ({
  ...Object.fromEntries(Object.entries(toGenerationSearch(search)).filter(([name]) => !NO_FILTERS.has(name))),
  ...readTexts(search, ['new', 'ids']),
});

/** The address of one rerun. */
export interface RerunPageSearch {
  /** The item whose two completions are open. */
  readonly pair?: string | undefined;
  /** The place of the target whose pairs are listed; absent for all. */
  readonly target?: string | undefined;
}

export const toRerunPageSearch = (search: Record<string, unknown>): RerunPageSearch =>
  readTexts(search, ['pair', 'target']);
