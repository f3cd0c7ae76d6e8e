import { type ReactNode, useState } from 'react';

import { Button } from '../controls/button.tsx';
import { Field } from '../controls/field.tsx';
import { UnsavedPanel } from '../messages/unsaved-panel.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly action: string;
  /** Default: Cancel. */
  readonly dismiss?: string;
  readonly children: ReactNode;
  /** Text that the user must type before an action that cannot be undone. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone; stays open, with the reason, when it fails. */
export function ConfirmDialog({
  title,
  action,
  dismiss = 'Cancel',
  children,
  typed,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const [text, setText] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const confirm = async (): Promise<void> => {
    setState({ isBusy: true });
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{dismiss}</Button>
          <Button
            look="danger"
            isBusy={state.isBusy}
            disabled={typed !== undefined && text !== typed}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        {children}
        {typed !== undefined && (
          <Field label={`Type “${typed}” to go on`}>
            {(control) => (
              <input
                {...control}
                className="field"
                value={text}
                autoComplete="off"
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        )}
        {state.error !== undefined && (
          <UnsavedPanel
            error={state.error}
            title="That did not work"
            kept="Nothing was changed"
            onRetry={() => void confirm()}
          />
        )}
      </div>
    </Dialog>
  );
}
