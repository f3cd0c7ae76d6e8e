import { readTexts } from '../../app/read-texts.ts';

export interface FileSearch {
  /** A part of the name, or the id. */
  readonly q?: string;
  readonly purpose?: string;
  /** `uploaded` or `generated`. */
  readonly origin?: string;
  /** The id of the file beside the list. */
  readonly open?: string;
}

export const toFileSearch = (search: Record<string, unknown>): FileSearch =>
  readTexts(search, ['q', 'purpose', 'origin', 'open']);
