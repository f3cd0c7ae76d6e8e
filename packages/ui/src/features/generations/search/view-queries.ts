import type { ViewBody } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { type SavedView, getPreferences, setPreferences } from '../../../app/preferences.ts';

/**
 * The saved views of the list, which the gateway keeps for all who manage it. This browser has a copy, so that they are
 * there at once.
 */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  placeholderData: () => getPreferences().views,
  queryFn: async ({ signal }): Promise<readonly SavedView[]> => {
    const read = async (): Promise<readonly SavedView[]> =>
      (await callApi<{ data: readonly ViewBody[] }>('/admin/v1/views', { signal })).data.map(toSavedView);
    let views = await read();
    const moving = toMoving(getPreferences(), views);
    for (const view of moving) await saveView(view, signal);
    if (moving.length > 0) views = await read();
    setPreferences({ views, areViewsMoved: true });
    return views;
  },
});

/** Saves a view, in place of one of the same name. */
export async function saveView({ name, search, hiddenColumns }: SavedView, signal?: AbortSignal): Promise<void> {
  const body = { search, hidden_columns: hiddenColumns };
  await callApi(`/admin/v1/views/${encodeURIComponent(name)}`, { method: 'PUT', body, signal });
}

export async function deleteView(name: string): Promise<void> {
  await callApi(`/admin/v1/views/${encodeURIComponent(name)}`, { method: 'DELETE' });
}

const toSavedView = ({ name, search, hidden_columns: hiddenColumns }: ViewBody): SavedView => ({
  name,
  search,
  hiddenColumns,
});

/**
 * What this browser has saved before the gateway kept views, and is moved there once. One of a name that is taken there
 * gets a number.
 */
export function toMoving(
  { views, areViewsMoved }: { readonly views: readonly SavedView[]; readonly areViewsMoved: boolean },
  kept: readonly SavedView[],
): readonly SavedView[] {
  if (areViewsMoved) return [];
  const taken = new Set(kept.map(({ name }) => name));
  const same = new Set(kept.map((view) => JSON.stringify(view)));
  return views
    .filter((view) => !same.has(JSON.stringify(view)))
    .map((view) => {
      let { name } = view;
      for (let number = 2; taken.has(name); number += 1) name = `${view.name} ${number}`;
      taken.add(name);
      return { ...view, name };
    });
}
