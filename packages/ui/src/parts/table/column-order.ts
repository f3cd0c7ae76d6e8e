import type { DropPlace } from './use-header-drag.ts';

/** The columns in the user's order. One that it lacks follows the column that it follows by default. */
export function toOrdered<C extends { readonly id: string }>(
  columns: readonly C[],
  order: readonly string[],
): readonly C[] {
  const ordered = order.flatMap((id) => columns.find((column) => column.id === id) ?? []);
  columns.forEach((column, at) => {
    if (order.includes(column.id)) return;
    const before = columns[at - 1];
    ordered.splice(before === undefined ? 0 : ordered.indexOf(before) + 1, 0, column);
  });
  return ordered;
}

/** The ids with one of them put before or after another. */
export function moveBeside(ids: readonly string[], id: string, place: DropPlace): readonly string[] {
  if (id === place.id || !ids.includes(id) || !ids.includes(place.id)) return ids;
  const others = ids.filter((other) => other !== id);
  others.splice(others.indexOf(place.id) + (place.side === 'after' ? 1 : 0), 0, id);
  return others;
}

/** The columns with widths that the user has chosen. */
export const withWidths = <C extends { readonly id: string; readonly width: string }>(
  columns: readonly C[],
  widths: Readonly<Record<string, number>>,
): readonly C[] =>
  columns.map((column) => {
    const px = widths[column.id];
    return px === undefined ? column : { ...column, width: `${px}px` };
  });
