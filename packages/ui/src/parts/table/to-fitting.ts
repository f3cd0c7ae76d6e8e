import type { Column } from './table-row.tsx';

type Track = Pick<Column<never>, 'width' | 'leaves'>;

/** The columns of a table in a width, and whether they stand closer together than elsewhere. */
interface Fit<C> {
  readonly columns: readonly C[];
  readonly isTight: boolean;
}

/** The columns that fit; where even those that always stay need more, they stand tight and take their narrow form. */
export function fitColumns<Row>(columns: readonly Column<Row>[], width: number): Fit<Column<Row>> {
  const fitting = toFitting(columns, width);
  const isTight = toMinWidth(fitting) > width;
  return { columns: isTight ? fitting.map((column) => ({ ...column, ...column.narrow })) : fitting, isTight };
}

/** The columns for which there is room in a width in pixels: those that matter least leave first. */
export function toFitting<C extends Track>(columns: readonly C[], width: number): readonly C[] {
  let fitting = columns;
  const leaving = columns.filter(({ leaves }) => leaves !== undefined);
  for (const next of leaving.toSorted((a, b) => (a.leaves ?? 0) - (b.leaves ?? 0))) {
    if (toMinWidth(fitting) <= width) break;
    fitting = fitting.filter((column) => column !== next);
  }
  return fitting;
}

/** The same columns, of which these leave where there is no room, in this order. */
export const toLeaving = <C extends Pick<Column<never>, 'id'>>(
  columns: readonly C[],
  ids: readonly string[],
): readonly C[] =>
  columns.map((column) => (ids.includes(column.id) ? { ...column, leaves: ids.indexOf(column.id) } : column));

/** Between cells and at both ends of a row, in pixels: `gap-4` and `px-4`, or `gap-2` and `px-3`. */
const SPACE = { gap: 16, end: 16 };
const TIGHT_SPACE = { gap: 8, end: 12 };

/** The width in pixels that columns need: a row is as wide as it is told, and what does not fit would be cut off. */
export function toMinWidth(columns: readonly Pick<Column<never>, 'width'>[], isTight = false): number {
  const { gap, end } = isTight ? TIGHT_SPACE : SPACE;
  const around = gap * Math.max(0, columns.length - 1) + 2 * end;
  return columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), around);
}
