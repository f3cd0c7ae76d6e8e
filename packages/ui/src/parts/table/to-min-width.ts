import type { Column } from './table-row.tsx';

/** Between cells and at both ends of a row, in pixels: `gap-4` and `px-4`, or `gap-2` and `px-3`. */
const SPACE = { gap: 16, end: 16 };
const TIGHT_SPACE = { gap: 8, end: 12 };

/** The width in pixels that columns need: a row is as wide as it is told, and what does not fit would be cut off. */
export function toMinWidth(columns: readonly Pick<Column<never>, 'width'>[], isTight = false): number {
  const { gap, end } = isTight ? TIGHT_SPACE : SPACE;
  const around = gap * Math.max(0, columns.length - 1) + 2 * end;
  return columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), around);
}
