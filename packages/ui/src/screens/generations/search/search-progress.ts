import type { ListPage } from '../../../features/generations/list/list-row.ts';

export interface SearchedSoFar {
  readonly records: number;
  /** When the oldest of them began. */
  readonly backTo: string | null;
}

/** Adds up what the pages of a search say of it. */
export function addUpSearch(pages: readonly Pick<ListPage, 'searched'>[]): SearchedSoFar {
  let records = 0;
  let backTo: string | null = null;
  for (const { searched } of pages) {
    records += searched?.records ?? 0;
    backTo = searched?.back_to ?? backTo;
  }
  return { records, backTo };
}

/** Percent of all there is; never 100 before the end, as more may have come meanwhile. */
export function toPercent(records: number, total: number | undefined, isDone: boolean): number | null {
  if (isDone) return 100;
  if (total === undefined) return null;
  return total === 0 ? 99 : Math.min(99, Math.floor((records / total) * 100));
}
