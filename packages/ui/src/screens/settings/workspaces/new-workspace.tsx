import type { Workspace } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm, useWatch } from 'react-hook-form';

import { InputField } from '../../../features/form/fields.tsx';
import { Dialog, FormActions } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { workspaceMessages } from './messages.ts';
import { createWorkspace } from './workspace-queries.ts';

interface NewWorkspaceProps {
  readonly onClose: () => void;
  readonly onCreated: (workspace: Workspace) => void;
}

/** The dialog that adds a workspace; everything else of it is set on its page. */
export function NewWorkspace({ onClose, onCreated }: NewWorkspaceProps) {
  const t = workspaceMessages();
  const formId = useId();
  const form = useForm({ defaultValues: { name: '', slug: '' } });
  const name = useWatch({ control: form.control, name: 'name' });
  const add = useMutation({
    // An empty slug follows the name.
    mutationFn: (values: { name: string; slug: string }) =>
      createWorkspace({ name: values.name, slug: values.slug || toSlug(values.name) }),
    onSuccess: (created) => {
      showToast({ tone: 'good', title: t.added(created.name) });
      onCreated(created);
    },
  });
  const submit = form.handleSubmit((values) => add.mutate(values));
  const parts = { form, error: add.error };
  return (
    <Dialog
      title={t.add}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.add} isBusy={add.isPending} onClose={onClose} />}
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <InputField {...parts} name="name" label={t.form.name} required maxLength={100} />
        <InputField
          {...parts}
          name="slug"
          label={t.form.slug}
          hint={t.form.slugHint}
          maxLength={50}
          placeholder={toSlug(name)}
          className="field font-mono text-xs"
        />
        {add.error !== null && <UnsavedPanel error={add.error} onRetry={() => void submit()} />}
      </form>
    </Dialog>
  );
}

/** `Film team` as the gateway takes it: `film-team`. */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')
    .slice(0, 50)
    .replace(/-$/, '');
