import type { AnyKey } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';

import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { changeKey, deleteKey } from './change-key.ts';
import { KeyForm } from './key-form.tsx';

/** Disables a key, or enables it. */
export function useToggleKey(): (key: AnyKey) => void {
  return useMutation({
    mutationFn: (key: AnyKey) =>
      changeKey(
        key,
        { disabled: !key.disabled },
        key.disabled ? `“${key.name}” enabled` : `“${key.name}” disabled; its calls are refused`,
      ),
    onError: (failure) => showFailure('The key was not changed', failure),
  }).mutate;
}

interface KeyDialogProps {
  readonly type: 'edit' | 'delete';
  readonly value: AnyKey;
  readonly onClose: () => void;
  /** Called when it is being deleted. */
  readonly onGone?: () => void;
}

/** The dialog that changes a key that was made here, or deletes it. */
export function KeyDialog({ type, value, onClose, onGone }: KeyDialogProps) {
  if (type === 'edit') return <KeyForm existing={value} onClose={onClose} onSaved={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete the key “${value.name}”?`}
      action="Delete key"
      onClose={onClose}
      onConfirm={async () => {
        await deleteKey(value);
        onGone?.();
      }}
    >
      <p>
        Calls with it are refused from now on. You can undo this for a few seconds. To pause the key, disable it
        instead.
      </p>
    </ConfirmDialog>
  );
}
