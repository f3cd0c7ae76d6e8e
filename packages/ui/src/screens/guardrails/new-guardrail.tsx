import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { assign, refreshGuardrails } from './guardrail-queries.ts';
import { SubjectPicker, useSubjects } from './subject-picker.tsx';

/** Creates a guardrail with a name, for some keys; its rules are set beside the list. Without rules it restricts no calls. */
export function NewGuardrail({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const formId = useId();
  const client = useQueryClient();
  const { options } = useSubjects(undefined);
  const [name, setName] = useState('');
  const [keys, setKeys] = useState<readonly string[]>([]);
  const create = useMutation({
    mutationFn: () => callApi<{ data: Guardrail }>('/api/v1/guardrails', { method: 'POST', body: { name } }),
    onSuccess: async ({ data }) => {
      try {
        if (keys.length > 0) await assign({ guardrailId: data.id, subjects: 'keys' }, keys, true);
      } catch (error) {
        showFailure(`${data.name} was created but not assigned`, error);
      }
      await refreshGuardrails(client);
      onCreated(data.id);
    },
  });
  return (
    <Dialog
      title="New guardrail"
      onClose={onClose}
      actions={<FormActions formId={formId} submit="Create guardrail" isBusy={create.isPending} onClose={onClose} />}
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
          label="Name"
          hint="Add rules next; until then it restricts nothing."
          error={issueFor(create.error, 'name')}
          required
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <SubjectPicker
          subjects="keys"
          options={options.keys}
          chosen={keys}
          onChange={setKeys}
          hint="Keys to assign. You can add more keys and members later."
        />
        {create.error !== null && (
          <UnsavedPanel error={create.error} title="Not created" onRetry={() => create.mutate()} />
        )}
      </form>
    </Dialog>
  );
}
