import { getLocale } from '../../messages/locale.ts';
import type { TableSort } from '../../parts/table/table-row.tsx';

/** What a list can be sorted by: the value of a row under each `sort` of a column; null has no value. */
export type SortValues<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

/** The rows in the order of one value; those without it come last. */
export function sortRows<Row>(
  rows: readonly Row[],
  sort: TableSort | undefined,
  values: SortValues<Row>,
): readonly Row[] {
  const valueOf = sort && values[sort.by];
  if (valueOf === undefined) return rows;
  const sign = sort?.order === 'desc' ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(one, other);
  });
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), getLocale().tag, { numeric: true });
}
