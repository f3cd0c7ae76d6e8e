import { readTexts } from '../../app/read-texts.ts';

export interface DestinationSearch {
  /** The id of the destination beside the list. */
  readonly open?: string;
  readonly tab?: string;
}

export const toDestinationSearch = (search: Record<string, unknown>): DestinationSearch =>
  readTexts(search, ['open', 'tab']);
