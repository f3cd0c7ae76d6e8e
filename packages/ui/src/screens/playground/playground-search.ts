/** What an address of the playground names. */
export interface PlaygroundSearch {
  /** Ids of the models of a new experiment, comma-separated. */
  readonly models?: string;
  /** Ids of recorded calls that an experiment begins with, comma-separated. */
  readonly from?: string;
  /** The id of an experiment that this browser keeps. */
  readonly open?: string;
}

/** Reads the address; what makes no sense is left out. */
export function toPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const found: Record<string, string> = {};
  for (const name of ['models', 'from', 'open']) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
  }
  return found;
}
