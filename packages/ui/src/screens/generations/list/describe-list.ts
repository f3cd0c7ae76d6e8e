import { type GenerationSearch, hasGenerationFilters } from '../../../features/generations/search/generation-search.ts';
import { formatCount } from '../../../format/quantity.ts';
import { generationsMessages } from './messages.ts';
import type { ListColumns } from './use-columns.ts';
import type { useGenerations } from './use-generations.ts';

/** Number of all rows; -1 while it is unknown. */
export function countRows(
  { rows, total, hasNextPage }: ReturnType<typeof useGenerations>,
  search: GenerationSearch,
  counted: number | undefined,
): number {
  if (!hasNextPage) return rows.length;
  const known = total ?? (search.text === undefined ? counted : undefined);
  return known === undefined ? -1 : Math.max(known, rows.length);
}

/** How many rows there are, in words. */
export function toFound(rows: number, total: number, search: GenerationSearch): string {
  const t = generationsMessages();
  if (search.pinned !== undefined) return t.pinnedCount(formatCount(rows));
  const count = total === -1 ? `${formatCount(rows)}+` : formatCount(total);
  return hasGenerationFilters(search) ? t.found(count) : t.total(count);
}

/** What the list is sorted by, in words. */
export function describeSort(
  { sort = 'time', order, text, pinned }: GenerationSearch,
  columns: ListColumns['columns'],
): string {
  const t = generationsMessages().sortedBy;
  const column = columns.find((one) => one.sort === sort);
  const isAscending = order === 'asc';
  if (sort === 'time' || column === undefined || text !== undefined || pinned !== undefined)
    return sort === 'time' && isAscending && text === undefined ? t.oldest : t.newest;
  const head = typeof column.header === 'string' ? column.header : '';
  if (column.isNumeric === true) return isAscending ? t.lowest(head) : t.highest(head);
  return isAscending ? t.fromA(head) : t.fromZ(head);
}
