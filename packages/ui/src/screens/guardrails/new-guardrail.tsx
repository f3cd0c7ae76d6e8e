import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { guardrailsQuery } from '../../api/queries.ts';
import { Field } from '../../parts/controls/field.tsx';
import { issueFor } from '../../parts/controls/issue-for.ts';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';

/** Creates a guardrail with a name; its rules are set beside the list. Without rules it does not restrict calls. */
export function NewGuardrail({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const formId = useId();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => callApi<{ data: Guardrail }>('/api/v1/guardrails', { method: 'POST', body: { name } }),
    onSuccess: async ({ data }) => {
      await client.invalidateQueries({ queryKey: guardrailsQuery.queryKey });
      onCreated(data.id);
    },
  });
  return (
    <Dialog
      title="New guardrail"
      onClose={onClose}
      actions={<FormActions formId={formId} submit="Make it" isBusy={create.isPending} onClose={onClose} />}
    >
      <form
        id={formId}
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field
          label="Name"
          hint="Its rules come next; until then it restricts no calls."
          error={issueFor(create.error, 'name')}
        >
          {(control) => (
            <input
              {...control}
              required
              maxLength={200}
              className="field"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {create.error !== null && <ErrorPanel error={create.error} title="Not made" />}
      </form>
    </Dialog>
  );
}
