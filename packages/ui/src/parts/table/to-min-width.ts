import type { Column } from './table-row.tsx';

/** The gap between cells and the padding at both ends, in pixels: `gap-4` and `px-4` of rows. */
const GAP = 16;

/** The width in pixels that columns need: a row is as wide as it is told, and what does not fit would be cut off. */
export const toMinWidth = (columns: readonly Pick<Column<never>, 'width'>[]): number =>
  columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), GAP * (columns.length + 1));
