import { useQuery, useQueryClient } from '@tanstack/react-query';

import type { SavedView } from '../../../app/preferences.ts';
import { deleteView, saveView, viewsQuery } from '../../../features/generations/search/view-queries.ts';
import { showFailure } from '../../../parts/messages/toast-store.ts';
import { viewsMessages } from './messages.tsx';
import { putView, removeView } from './saved-views.ts';

const NO_VIEWS: readonly SavedView[] = [];

let lastSent: Promise<void> = Promise.resolve();

/** Sends changes one after another: a view is deleted only when the gateway has it under its new name. */
function sendInTurn(send: () => Promise<void>): Promise<void> {
  const sent = lastSent.then(send);
  lastSent = sent.catch(() => undefined);
  return sent;
}

/** The saved views of the gateway, and what changes them: shown at once, and as they were again where that failed. */
export function useViews() {
  const client = useQueryClient();
  const { data: views = NO_VIEWS } = useQuery(viewsQuery);
  const { queryKey } = viewsQuery;
  const change = async (toNext: (views: readonly SavedView[]) => readonly SavedView[], save: () => Promise<void>) => {
    await client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, (before) => toNext(before ?? views));
    try {
      await sendInTurn(save);
    } catch (error) {
      showFailure(viewsMessages().notSaved, error);
    }
    await client.invalidateQueries({ queryKey });
  };
  return {
    views,
    put: (view: SavedView): Promise<void> =>
      change(
        (before) => putView(before, view),
        () => saveView(view),
      ),
    remove: (name: string): Promise<void> =>
      change(
        (before) => removeView(before, name),
        () => deleteView(name),
      ),
    rename: (view: SavedView, name: string): Promise<void> =>
      change(
        (before) => putView(removeView(before, view.name), { ...view, name }),
        async () => {
          await saveView({ ...view, name });
          await deleteView(view.name);
        },
      ),
  };
}
