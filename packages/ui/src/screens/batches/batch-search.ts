import { readTexts } from '../../app/read-texts.ts';

export interface BatchSearch {
  readonly status?: string;
  /** The id of the batch beside the list. */
  readonly open?: string;
}

export const toBatchSearch = (search: Record<string, unknown>): BatchSearch => readTexts(search, ['status', 'open']);
