import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { showToast } from '../../parts/messages/toast-store.ts';
import type { ToolKey } from './connect-queries.ts';

/** Says that a key stays although no call with it has succeeded yet, and takes it back on request. */
export function offerToDeleteKey({ hash, name }: Pick<ToolKey, 'hash' | 'name'>): void {
  showToast({
    tone: 'neutral',
    title: `The key “${name}” stays`,
    detail: 'No call with it has succeeded yet. It is listed under Keys.',
    action: { label: 'Undo', run: () => void deleteKey(hash, name) },
  });
}

async function deleteKey(hash: string, name: string): Promise<void> {
  try {
    await callApi(`/api/v1/keys/${hash}`, { method: 'DELETE' });
    showToast({ tone: 'good', title: `The key “${name}” is gone` });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    showToast({ tone: 'bad', title: `The key “${name}” was not deleted`, detail });
  }
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
}
