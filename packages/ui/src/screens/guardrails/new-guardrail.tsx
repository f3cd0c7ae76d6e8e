import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { workspacesQuery } from '../../api/queries.ts';
import { assign, createGuardrail, refreshGuardrails } from '../../features/guardrails/guardrail-changes.ts';
import { guardrailPartMessages } from '../../features/guardrails/messages.ts';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { guardrailsMessages } from './messages.ts';
import { SubjectPicker, useSubjects } from './subject-picker.tsx';

/** Creates a guardrail with a name, for some keys; its rules are set beside the list. Without rules it restricts no calls. */
export function NewGuardrail({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const { creation: t, newGuardrail } = guardrailsMessages();
  const formId = useId();
  const client = useQueryClient();
  const { options, owners, nameOf } = useSubjects(undefined);
  const [name, setName] = useState('');
  const [keys, setKeys] = useState<readonly string[]>([]);
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  /** Empty for the default one. */
  const [workspace, setWorkspace] = useState('');
  const create = useMutation({
    mutationFn: () => createGuardrail({ name, ...(workspace !== '' && { workspace_id: workspace }) }),
    onSuccess: async (created) => {
      try {
        if (keys.length > 0) await assign({ guardrailId: created.id, subjects: 'keys' }, keys, true);
      } catch (error) {
        showFailure(t.notAssigned(created.name), error);
      }
      await refreshGuardrails(client);
      onCreated(created.id);
    },
  });
  const replaced = keys.flatMap((hash) => {
    const owner = owners.get(`keys ${hash}`);
    const label = options.keys.find(({ value }) => value === hash)?.label ?? hash;
    return owner === undefined ? [] : [guardrailPartMessages().replaces(nameOf(owner), label)];
  });
  return (
    <Dialog
      title={newGuardrail}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.create} isBusy={create.isPending} onClose={onClose} />}
    >
      <form
        id={formId}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <LabelledInput
          label={t.name}
          hint={t.nameHint}
          error={issueFor(create.error, 'name')}
          required
          maxLength={200}
          value={name}
          onChange={setName}
        />
        {workspaces.length > 1 && (
          <LabelledSelect
            label={t.workspace}
            error={issueFor(create.error, 'workspace_id')}
            value={workspace}
            onChange={setWorkspace}
            options={workspaces.map(({ id, name: called }, at) => [at === 0 ? '' : id, called] as const)}
          />
        )}
        <SubjectPicker subjects="keys" options={options.keys} chosen={keys} onChange={setKeys} hint={t.keysHint} />
        {replaced.length > 0 && (
          <ul className="rounded-lg bg-caution-soft p-2.5 text-sm text-caution">
            <li>{guardrailPartMessages().onlyOne}</li>
            {replaced.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        {create.error !== null && (
          <UnsavedPanel error={create.error} title={t.notCreated} onRetry={() => create.mutate()} />
        )}
      </form>
    </Dialog>
  );
}
