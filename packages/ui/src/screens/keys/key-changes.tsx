import type { AnyKey } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';

import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { changeKey, deleteKey } from './change-key.ts';
import { KeyForm } from './key-form.tsx';
import { keysMessages } from './messages.ts';

/** Disables a key, or enables it. */
export function useToggleKey(): (key: AnyKey) => void {
  return useMutation({
    mutationFn: (key: AnyKey) =>
      changeKey(
        key,
        { disabled: !key.disabled },
        keysMessages().changes[key.disabled ? 'enabled' : 'disabled'](key.name),
      ),
    onError: (failure) => showFailure(keysMessages().changes.notChanged, failure),
  }).mutate;
}

interface KeyDialogProps {
  readonly type: 'edit' | 'delete';
  readonly value: AnyKey;
  readonly onClose: () => void;
  /** Called when it is being deleted. */
  readonly onGone?: () => void;
}

/** The dialog that changes a stored key, or deletes it. */
export function KeyDialog({ type, value, onClose, onGone }: KeyDialogProps) {
  const t = keysMessages().changes;
  if (type === 'edit') return <KeyForm existing={value} onClose={onClose} onSaved={onClose} />;
  return (
    <ConfirmDialog
      title={t.confirmTitle(value.name)}
      action={t.confirm}
      onClose={onClose}
      onConfirm={async () => {
        await deleteKey(value);
        onGone?.();
      }}
    >
      <p>{t.confirmText}</p>
    </ConfirmDialog>
  );
}
