import { useMutation } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useId, useRef } from 'react';

import { classNames } from '../class-names.ts';
import { Button } from '../controls/button.tsx';
import { UnsavedPanel } from '../messages/error-panel.tsx';
import { partMessages } from '../part-messages.ts';
import { useClickBeside, useModal } from './use-modal.ts';

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly width?: 'narrow' | 'wide' | 'full';
  /** At the bottom, to the right: the way out and the way on. */
  readonly actions?: ReactNode;
  /** Stays where the user clicks beside it: it shows what cannot be shown again. */
  readonly staysOpen?: boolean;
}

interface FormActionsProps {
  /** The id of the form, which may stand elsewhere in the document. */
  readonly formId: string;
  readonly submit: string;
  readonly isBusy: boolean;
  readonly onClose: () => void;
}

/** The actions of a dialog with a form. */
export function FormActions({ formId, submit, isBusy, onClose }: FormActionsProps) {
  return (
    <>
      <Button onClick={onClose}>{partMessages().actions.cancel}</Button>
      <Button type="submit" form={formId} look="primary" isBusy={isBusy}>
        {submit}
      </Button>
    </>
  );
}

const WIDTHS = { narrow: 'max-w-md', wide: 'max-w-3xl', full: 'max-w-6xl' } as const;

/**
 * A modal dialog while it is mounted. The browser's own element, because it needs no style elements, which the content
 * security policy forbids. `data-first-focus` marks a field that is to have the focus before the first one.
 */
export function Dialog({ title, onClose, children, width = 'narrow', actions, staysOpen = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useModal(ref);
  const beside = useClickBeside(() => {
    if (!staysOpen) onClose();
  });
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      {...beside}
      className={classNames(
        'm-auto max-h-[88dvh] w-[calc(100%-2rem)] rounded-xl border border-line bg-surface p-0 shadow-2xl',
        WIDTHS[width],
      )}
    >
      <div className="flex max-h-[88dvh] flex-col">
        <header className="flex items-center gap-3 border-b border-line px-5 py-3">
          <h2 id={titleId} className="min-w-0 flex-1 text-base font-semibold break-words">
            {title}
          </h2>
          <Button look="quiet" aria-label={partMessages().actions.close} icon={<X size={16} />} onClick={onClose} />
        </header>
        {/* Can be scrolled by keys, too. */}
        <div
          data-dialog-text
          tabIndex={0}
          className="scroll-thin min-h-0 flex-1 overflow-y-auto px-5 py-4 outline-offset-[-2px]"
        >
          {children}
        </div>
        {actions !== undefined && (
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</footer>
        )}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly action: string;
  /** Default: Cancel. */
  readonly dismiss?: string;
  readonly children: ReactNode;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone; stays open, with the reason, when it fails. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const t = partMessages();
  const { title, action, dismiss = t.actions.cancel, children, onConfirm, onClose } = props;
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{dismiss}</Button>
          <Button look="danger" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        {children}
        {confirm.error !== null && (
          <UnsavedPanel
            error={confirm.error}
            title={t.error.title}
            kept={t.error.nothingChanged}
            onRetry={() => confirm.mutate()}
          />
        )}
      </div>
    </Dialog>
  );
}
