import type { AnyKey } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { KeyForm } from './key-form.tsx';

/** Has all lists of keys read anew. */
export function useRefreshKeys(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keysQuery.queryKey });
}

/** Disables a key, or enables it. */
export function useToggleKey(): (key: AnyKey) => void {
  const refresh = useRefreshKeys();
  return useMutation({
    mutationFn: ({ hash, disabled }: AnyKey) =>
      callApi(`/api/v1/keys/${hash}`, { method: 'PATCH', body: { disabled: !disabled } }),
    onSuccess: refresh,
    onError: (failure) => showToast({ tone: 'bad', title: 'The key was not changed', detail: failure.message }),
  }).mutate;
}

interface KeyDialogProps {
  readonly type: 'edit' | 'delete';
  readonly value: AnyKey;
  readonly onClose: () => void;
  /** Called when it has been deleted. */
  readonly onGone?: () => void;
}

/** The dialog that changes a key that was made here, or deletes it. */
export function KeyDialog({ type, value, onClose, onGone }: KeyDialogProps) {
  const refresh = useRefreshKeys();
  if (type === 'edit') {
    return (
      <KeyForm
        existing={value}
        onClose={onClose}
        onSaved={async () => {
          await refresh();
          onClose();
        }}
      />
    );
  }
  return (
    <ConfirmDialog
      title={`Delete the key “${value.name}”?`}
      action="Delete key"
      typed={value.name}
      onClose={onClose}
      onConfirm={async () => {
        await callApi(`/api/v1/keys/${value.hash}`, { method: 'DELETE' });
        onGone?.();
        await refresh();
      }}
    >
      <p>Calls with it are refused from now on. This cannot be undone; disabling it can.</p>
    </ConfirmDialog>
  );
}
