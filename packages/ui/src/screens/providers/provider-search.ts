import { readTexts } from '../../app/read-texts.ts';

export interface ProviderSearch {
  /** Part of a name, slug or host. */
  readonly q?: string;
  readonly status?: string;
  /** The slug of the provider beside the list. */
  readonly open?: string;
}

export const toProviderSearch = (search: Record<string, unknown>): ProviderSearch =>
  readTexts(search, ['q', 'status', 'open']);
