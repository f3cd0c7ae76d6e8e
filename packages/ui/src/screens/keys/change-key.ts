import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Key } from '../../api/types.ts';
import { holdDeletion, showToast, useHeldDeletions, showUndo } from '../../parts/messages/toast-store.ts';
import { keysMessages } from './messages.ts';

type Changeable = 'name' | 'disabled' | 'limit' | 'limit_reset' | 'include_byok_in_limit' | 'expires_at';
type ChangeableKey = Pick<Key, 'hash' | Changeable>;
export type KeyChange = Partial<Pick<Key, Changeable>>;

/** Changes a key and offers to take that back. Throws `ApiError`, and has changed nothing then. */
export async function changeKey(key: ChangeableKey, change: KeyChange, told: string): Promise<void> {
  await patch(key.hash, change);
  const before = toBefore(key, change);
  if (Object.keys(before).length === 0) return;
  showUndo({
    title: told,
    undo: () => patch(key.hash, before),
    undone: keysMessages().changes.restored(before.name ?? key.name),
  });
}

/** The fields that the change makes different, as they were. */
export function toBefore(key: Pick<Key, Changeable>, change: KeyChange): KeyChange {
  const changed = (Object.keys(change) as Changeable[]).filter((field) => change[field] !== key[field]);
  return Object.fromEntries(changed.map((field) => [field, key[field]]));
}

/** The keys without those that this page is about to delete. */
export function useStayingKeys<One extends ChangeableKey>(
  keys: readonly One[] | undefined,
): readonly One[] | undefined {
  const gone = useHeldDeletions();
  return keys?.filter(({ hash }) => !gone.has(hash));
}

/**
 * Refuses the calls of a key at once, and deletes it when the offer to take that back has gone; with the page, too.
 * Throws `ApiError` when it could not even be disabled.
 */
export async function deleteKey(key: ChangeableKey): Promise<void> {
  const { hash, name, disabled } = key;
  const t = keysMessages().changes;
  await patch(hash, { disabled: true });
  holdDeletion({
    id: hash,
    title: t.deleting(name),
    detail: t.deletingDetail,
    onClosing: 'delete',
    failed: t.notDeleted(name),
    async run() {
      await callApi(`/api/v1/keys/${hash}`, { method: 'DELETE', isKept: true });
      await refresh();
    },
    undo: async () => {
      await patch(hash, { disabled });
      showToast({ tone: 'good', title: keysMessages().changes.restored(name) });
    },
  });
}

async function patch(hash: string, body: KeyChange): Promise<void> {
  await callApi(`/api/v1/keys/${hash}`, { method: 'PATCH', body });
  await refresh();
}

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
