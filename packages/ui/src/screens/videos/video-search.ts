export interface VideoSearch {
  readonly status?: string;
  readonly model?: string;
  /** The id of the job beside the list. */
  readonly open?: string;
  /** `webhooks` shows what became of announcements. */
  readonly view?: string;
}

const NAMES = ['status', 'model', 'open', 'view'] as const satisfies readonly (keyof VideoSearch)[];

/** Reads what an address says; what makes no sense is left out. */
export function toVideoSearch(search: Record<string, unknown>): VideoSearch {
  const found: Record<string, string> = {};
  for (const name of NAMES) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
  }
  return found;
}
