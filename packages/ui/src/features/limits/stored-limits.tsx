import { useMutation } from '@tanstack/react-query';
import { Lock, Plus } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';

import { Button } from '../../parts/controls/button.tsx';
import { useRowFocus } from '../../parts/controls/use-row-focus.ts';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showFailure, showUndo } from '../../parts/messages/toast-store.ts';
import { RowMenu } from '../list-screen/list-screen.tsx';
import { changeStored, type LimitChange, toReversal } from './exchange-limit.ts';

/** What the sections of rate limits and of limits on calls under way say alike. */
interface StoredLimitsTexts {
  readonly title: string;
  readonly about: string;
  readonly add: string;
  readonly saved: string;
  readonly deleted: string;
  readonly restored: string;
  readonly notSaved: string;
}

interface StoredLimitsProps<Limit> {
  readonly texts: StoredLimitsTexts;
  /** The limits that are stored, which are written as a whole. */
  readonly stored: readonly Limit[];
  readonly isSame: (one: Limit, other: Limit) => boolean;
  /** Those that are stored at this moment: others may have been added elsewhere. Throws `ApiError`. */
  readonly load: () => Promise<readonly Limit[]>;
  /** Puts these in the place of the stored ones. Throws `ApiError`. */
  readonly put: (limits: readonly Limit[]) => Promise<void>;
  readonly canAdd: boolean;
  readonly form: (props: LimitFormProps<Limit>) => ReactNode;
  readonly children: (actions: { edit: (limit: Limit) => void; remove: (limit: Limit) => void }) => ReactNode;
}

export interface LimitFormProps<Limit> {
  readonly existing: Limit | undefined;
  /** Its place in what is sent, by which the gateway's messages name it. */
  readonly place: number;
  /** Rejects where it could not be saved. */
  readonly onSave: (limit: Limit) => Promise<void>;
  readonly onClose: () => void;
}

/** A heading with a list of limits, which are added, changed and deleted here, each change with an undo. */
export function StoredLimits<Limit>(props: StoredLimitsProps<Limit>) {
  const { texts, stored, isSame, load, put, canAdd, form: LimitForm, children } = props;
  const [open, setOpen] = useState<'new' | { readonly limit: Limit } | null>(null);
  const make = (made: LimitChange<Limit>) => changeStored({ load, put, isSame }, made);
  const change = async (made: LimitChange<Limit>, title: string): Promise<void> => {
    const done = await make(made);
    showUndo({ title, undo: () => make(toReversal(done)), undone: texts.restored });
  };
  const placeOf = (limit: Limit | undefined): number => {
    const at = limit === undefined ? -1 : stored.findIndex((other) => isSame(other, limit));
    return at < 0 ? stored.length : at;
  };
  const { around, beforeRemoval } = useRowFocus('[aria-haspopup=menu]');
  const remove = useMutation({
    mutationFn(limit: Limit) {
      const at = placeOf(limit);
      beforeRemoval(at);
      return change({ before: limit, after: undefined, at }, texts.deleted);
    },
    onError: (failure) => showFailure(texts.notSaved, failure),
  });
  const existing = open === null || open === 'new' ? undefined : open.limit;
  const place = placeOf(existing);
  return (
    <div {...around} className="contents">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="flex-1 text-base font-semibold">{texts.title}</h2>
        {canAdd && (
          <Button data-add icon={<Plus size={15} />} onClick={() => setOpen('new')}>
            {texts.add}
          </Button>
        )}
      </div>
      <p className="max-w-prose text-sm text-ink-soft">{texts.about}</p>
      {children({ edit: (limit) => setOpen({ limit }), remove: (limit) => remove.mutate(limit) })}
      {open !== null && (
        <LimitForm
          existing={existing}
          onClose={() => setOpen(null)}
          onSave={async (limit) => {
            await change({ before: existing, after: limit, at: place }, texts.saved);
            setOpen(null);
          }}
          place={place}
        />
      )}
    </div>
  );
}

interface LimitActionsProps {
  readonly source: 'config' | 'stored';
  readonly texts: { readonly fromConfig: string; readonly edit: string; readonly delete: string };
  readonly label: string;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** The menu of a limit, or a lock where the configuration sets it. */
export function LimitActions({ source, texts, label, onEdit, onDelete }: LimitActionsProps) {
  if (source === 'stored') {
    const items = [
      { label: texts.edit, onSelect: onEdit },
      { label: texts.delete, isDangerous: true, onSelect: onDelete },
    ];
    return <RowMenu label={label} items={items} />;
  }
  return (
    <span title={texts.fromConfig} className="inline-flex text-ink-faint">
      <Lock size={14} aria-label={texts.fromConfig} />
    </span>
  );
}

interface LimitDialogProps {
  readonly isNew: boolean;
  readonly texts: {
    readonly newTitle: string;
    readonly editTitle: string;
    readonly add: string;
    readonly save: string;
  };
  readonly saving: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** The dialog that adds a limit, or changes one. */
export function LimitDialog({ isNew, texts, saving, onSubmit, onClose, children }: LimitDialogProps) {
  const formId = useId();
  const submit = isNew ? texts.add : texts.save;
  return (
    <Dialog
      title={isNew ? texts.newTitle : texts.editTitle}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={submit} isBusy={saving.isPending} onClose={onClose} />}
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
        className="flex flex-col gap-4"
      >
        {children}
        {saving.error !== null && <UnsavedPanel error={saving.error} onRetry={() => void onSubmit()} />}
      </form>
    </Dialog>
  );
}
