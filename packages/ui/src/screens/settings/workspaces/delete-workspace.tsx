import type { Workspace } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';
import { queryClient } from '../../../api/query-client.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { LinkButton } from '../../../parts/controls/link-button.tsx';
import { ConfirmDialog, Dialog } from '../../../parts/dialogs/dialog.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { partMessages } from '../../../parts/part-messages.ts';
import { workspaceMessages } from './messages.ts';
import { deleteWorkspace } from './workspace-queries.ts';

interface DeleteWorkspaceProps {
  readonly workspace: Workspace;
  /** Undefined until they are known. */
  readonly keyCount: number | undefined;
  readonly onClose: () => void;
  /** Called once it is gone. */
  readonly onGone?: () => void;
}

/** Asks before a workspace is deleted, and says what goes with it, or what is in the way. */
export function DeleteWorkspace({ workspace, keyCount = 0, onClose, onGone }: DeleteWorkspaceProps) {
  const t = workspaceMessages();
  const { id, name } = workspace;
  const guardrails = useOwned('/api/v1/guardrails', id);
  const destinations = useOwned('/api/v1/observability/destinations', id);
  if (keyCount > 0) {
    return (
      <Dialog
        title={t.removal.title(name)}
        onClose={onClose}
        actions={
          <>
            <Button onClick={onClose}>{partMessages().actions.cancel}</Button>
            <LinkButton to="/keys">{t.keys.all}</LinkButton>
          </>
        }
      >
        <p className="text-sm">{t.removal.hasKeys(keyCount)}</p>
      </Dialog>
    );
  }
  const remove = async (): Promise<void> => {
    await deleteWorkspace(id);
    onGone?.();
    // Its guardrails and destinations have gone with it; nothing is asked of the workspace itself any more.
    await queryClient.invalidateQueries({ predicate: ({ queryKey }) => !queryKey.includes(id) });
    showToast({ tone: 'good', title: t.deleted(name) });
  };
  return (
    <ConfirmDialog title={t.removal.title(name)} action={t.removal.action} onClose={onClose} onConfirm={remove}>
      {guardrails !== undefined && destinations !== undefined && (
        <p>{t.removal.also(t.removal.join(t.removal.guardrails(guardrails), t.removal.destinations(destinations)))}</p>
      )}
      <p>{t.removal.kept}</p>
    </ConfirmDialog>
  );
}

/** How many of something a workspace has; undefined until that is known. */
function useOwned(path: string, workspace: string): number | undefined {
  const { data } = useQuery({
    queryKey: ['workspaces', 'owned', path, workspace],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const query = { workspace_id: workspace, limit: 1 };
      return (await callApi<{ total_count: number }>(path, { query, signal })).total_count;
    },
  });
  return data;
}
