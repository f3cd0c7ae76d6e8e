import { readTexts } from '../../app/read-texts.ts';

/** What an address of the playground names. */
export interface PlaygroundSearch {
  /** Ids of the models of a new experiment, comma-separated. */
  readonly models?: string;
  /** Ids of recorded calls that an experiment begins with, comma-separated. */
  readonly from?: string;
  /** The id of an experiment that this browser keeps. */
  readonly open?: string;
  /** A kind of call other than chats: `speech`. */
  readonly kind?: string;
}

export const toPlaygroundSearch = (search: Record<string, unknown>): PlaygroundSearch =>
  readTexts(search, ['models', 'from', 'open', 'kind']);
