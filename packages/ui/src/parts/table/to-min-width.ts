import type { Column } from './table-row.tsx';

/** The gap between cells and the padding at both ends, in pixels: `gap-4` and `px-4` of rows. */
const GAP = 16;

/**
 * The columns that a table of this width shows: those that it has room for without scrolling sideways. Columns are left
 * out in the order of `leaving`; those that it does not name stay.
 */
export function toFitting<Each extends Pick<Column<never>, 'id' | 'width'>>(
  columns: readonly Each[],
  widthPx: number,
  leaving: readonly string[],
): readonly Each[] {
  let fitting = columns;
  for (const id of leaving) {
    if (toMinWidth(fitting) <= widthPx) break;
    fitting = fitting.filter((column) => column.id !== id);
  }
  return fitting;
}

/** The width in pixels that columns need: a row is as wide as it is told, and what does not fit would be cut off. */
export const toMinWidth = (columns: readonly Pick<Column<never>, 'width'>[]): number =>
  columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), GAP * (columns.length + 1));
