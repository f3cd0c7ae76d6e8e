import type { Destination, DestinationType } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { destinationsQuery } from '../../features/destinations/destination-queries.ts';
import { Checkbox, issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../parts/controls/labelled.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { scrollIntoView } from '../../parts/scroll-into-view.ts';
import { ConfigFields } from './config-fields.tsx';
import { CONFIG_FIELDS, toConfig } from './destination-draft.ts';
import { destinationsMessages } from './messages.ts';

const EMPTY = { config: {}, headers: '' };

/** Creates a destination; which requests it gets is set beside the list. */
export function NewDestination({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const { creation: t, newDestination, types } = destinationsMessages();
  const formId = useId();
  const client = useQueryClient();
  const [type, setType] = useState<DestinationType>('webhook');
  const [name, setName] = useState('');
  const [draft, setDraft] = useState<{ readonly config: Record<string, string>; readonly headers: string }>(EMPTY);
  const [isOn, setIsOn] = useState(true);
  const create = useMutation({
    mutationFn: () =>
      callApi<{ data: Destination }>('/api/v1/observability/destinations', {
        method: 'POST',
        body: { type, name, enabled: isOn, config: toConfig(draft) },
      }),
    onSuccess: async ({ data }) => {
      await client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
      onCreated(data.id);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog
      title={newDestination}
      width="wide"
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.create} isBusy={create.isPending} onClose={onClose} />}
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <LabelledSelect
            label={t.type}
            hint={types[type].note}
            error={issueFor(create.error, 'type')}
            value={type}
            options={(Object.keys(CONFIG_FIELDS) as DestinationType[]).map(
              (value) => [value, types[value].label] as const,
            )}
            onChange={(text) => {
              setType(text as DestinationType);
              setDraft({ ...draft, config: {} });
            }}
          />
          <LabelledInput
            label={t.name}
            error={issueFor(create.error, 'name')}
            required
            maxLength={200}
            value={name}
            onChange={setName}
          />
        </div>
        <ConfigFields
          type={type}
          draft={draft}
          onChange={(change) => setDraft({ ...draft, ...change })}
          error={create.error}
        />
        <Checkbox
          label={t.enabled}
          hint={t.enabledHint}
          checked={isOn}
          onChange={(event) => setIsOn(event.target.checked)}
        />
        {create.error !== null && (
          <div ref={scrollIntoView}>
            <UnsavedPanel error={create.error} title={t.notCreated} onRetry={() => create.mutate()} />
          </div>
        )}
      </form>
    </Dialog>
  );
}
