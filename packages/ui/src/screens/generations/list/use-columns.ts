import { useMemo } from 'react';

import { getPreferences, setPreferences, usePreferences } from '../../../app/preferences.ts';
import { toColumns, toDefaultHidden, toLeavingOrder } from '../../../features/generations/list/generation-columns.tsx';
import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { toOrdered } from '../../../parts/table/column-order.ts';
import { toLeaving } from '../../../parts/table/to-fitting.ts';
import { useMedia } from '../../../parts/use-width.ts';
import type { useGenerations } from './use-generations.ts';

/** The columns of the list as they are to be shown. */
export type ListColumns = ReturnType<typeof useColumns>;

const WIDE = '(min-width: 1900px)';

/** The columns in the user's order, and which of them are hidden. */
export function useColumns(search: GenerationSearch, { rows, keyNames }: ReturnType<typeof useGenerations>) {
  const { pins, hiddenColumns, columnOrder } = usePreferences();
  const isWide = useMedia(WIDE);
  const isByStart = search.sort === 'time' && search.order === 'asc' && search.text === undefined;
  return useMemo(() => {
    const hidden = hiddenColumns ?? toDefaultHidden(isWide);
    const all = toColumns({ rows, pins, keyNames, hidden, isByStart });
    return {
      hidden,
      columns: toLeaving(toOrdered(all, columnOrder), toLeavingOrder(hiddenColumns === null)),
    };
  }, [rows, pins, keyNames, hiddenColumns, columnOrder, isWide, isByStart]);
}

/** Keeps the width of a column in this browser; null forgets it. */
export function keepWidth(id: string, px: number | null): void {
  const { [id]: _former, ...others } = getPreferences().columnWidths;
  setPreferences({ columnWidths: px === null ? others : { ...others, [id]: px } });
}
