import type { Destination } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PlugZap, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useController, type UseFormReturn } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import {
  changeDestination,
  destinationsQuery,
  testDestination,
} from '../../features/destinations/destination-queries.ts';
import { CheckField, type FormParts, InputField } from '../../features/form/fields.tsx';
import { useChangeForm } from '../../features/form/use-change-form.ts';
import { formatDuration } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { ErrorPanel, UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { holdDeletion, showToast, showUndo, useHeldDeletions } from '../../parts/messages/toast-store.ts';
import { ConfigFields } from './config-fields.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import {
  DESTINATION_TYPES,
  type DestinationDraft,
  toDestinationChange,
  toDestinationDraft,
  toDestinationReversal,
} from './destination-draft.ts';
import { SelectionFields } from './selection-fields.tsx';

interface DestinationPanelProps {
  readonly destination: Destination;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly onClose: () => void;
}

export function DestinationPanel({ destination, tab, onTab, onClose }: DestinationPanelProps) {
  const { id, name, type } = destination;
  const { form, before, change, isChanged } = useChangeForm(toDestinationDraft(destination), toDestinationChange);
  const save = useSaveDestination(destination, form);
  const [isDeleting, setIsDeleting] = useState(false);
  const isGoing = useHeldDeletions().has(id);
  const undo = (): void => {
    form.reset(before);
    save.reset();
  };
  const send = (): void => save.mutate({ change, reversal: toDestinationReversal(form.getValues(), before) });
  const parts = { form, error: save.error };
  return (
    <SidePanel
      label={`Destination ${name}`}
      onClose={onClose}
      title={
        <h2 className="truncate font-semibold">
          {name} <span className="text-sm font-normal text-ink-faint">{DESTINATION_TYPES[type].label}</span>
        </h2>
      }
      actions={
        <>
          <Button
            look="quiet"
            aria-label="Delete"
            title="Delete"
            disabled={isGoing}
            icon={<Trash2 size={15} />}
            onClick={() => setIsDeleting(true)}
          />
          {isChanged && (
            <Button disabled={save.isPending} onClick={undo}>
              Undo
            </Button>
          )}
          <Button look="primary" disabled={!isChanged} isBusy={save.isPending} onClick={send}>
            Save
          </Button>
        </>
      }
    >
      {save.error !== null && (
        <div className="p-3">
          <UnsavedPanel error={save.error} onRetry={send} />
        </div>
      )}
      <Tabs
        label="Destination"
        value={tab}
        onChange={onTab}
        tabs={[
          { value: 'where', label: 'Where', content: () => <WhereTab {...parts} destination={destination} /> },
          { value: 'what', label: 'What is sent', content: () => <SelectionFields {...parts} /> },
          { value: 'log', label: 'Delivery log', content: () => <DeliveryLog destinationId={id} /> },
        ]}
      />
      {isDeleting && (
        <DeleteDestination destination={destination} onClose={() => setIsDeleting(false)} onGone={onClose} />
      )}
    </SidePanel>
  );
}

interface Sent {
  readonly change: Record<string, unknown>;
  /** What takes the change back; null where that cannot be. */
  readonly reversal: Record<string, unknown> | null;
}

/** Saves a change, and offers to take it back where that can be. */
function useSaveDestination({ id, name }: Destination, form: UseFormReturn<DestinationDraft>) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
  const show = (saved: Destination): void => form.reset(toDestinationDraft(saved));
  return useMutation({
    mutationFn: ({ change }: Sent) => changeDestination(id, change),
    onSuccess: async (saved, { reversal }) => {
      const title = 'Saved; delivery is attempted at once';
      show(saved);
      if (reversal === null) showToast({ tone: 'good', title });
      else {
        showUndo({
          title,
          async undo() {
            show(await changeDestination(id, reversal));
            await refresh();
          },
          undone: `${name} restored`,
        });
      }
      await refresh();
    },
  });
}

interface DeleteDestinationProps {
  readonly destination: Destination;
  readonly onClose: () => void;
  /** Called once it is about to be deleted. */
  readonly onGone: () => void;
}

function DeleteDestination({ destination: { id, name, enabled }, onClose, onGone }: DeleteDestinationProps) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
  /** Nothing is sent from now on; its secrets are there until it is deleted for good. */
  const remove = async (): Promise<void> => {
    if (enabled) await changeDestination(id, { enabled: false });
    holdDeletion({
      id,
      title: `“${name}” will be deleted`,
      detail: 'Sending has stopped.',
      async run() {
        await callApi(`/api/v1/observability/destinations/${id}`, { method: 'DELETE' });
        await refresh();
      },
      async undo() {
        if (enabled) await changeDestination(id, { enabled });
        await refresh();
      },
    });
    await refresh();
    onGone();
  };
  return (
    <ConfirmDialog title={`Delete “${name}”?`} action="Delete destination" onClose={onClose} onConfirm={remove}>
      <p>
        Its secrets and pending deliveries are deleted too. Sending stops at once. You can undo this while the message
        is shown.
      </p>
    </ConfirmDialog>
  );
}

function WhereTab({ destination, form, error }: FormParts<DestinationDraft> & { destination: Destination }) {
  const { id, type } = destination;
  const { field: config } = useController({ control: form.control, name: 'config' });
  const { field: headers } = useController({ control: form.control, name: 'headers' });
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4">
      <CheckField form={form} name="enabled" label="On" hint="When off, requests are not queued." />
      <InputField form={form} error={error} name="name" label="Name" maxLength={200} />
      <ConfigFields
        type={type}
        draft={{ config: config.value, headers: headers.value }}
        error={error}
        onChange={(next) => {
          if (next.config !== undefined) config.onChange(next.config);
          if (next.headers !== undefined) headers.onChange(next.headers);
        }}
      />
      <ConnectionTest id={id} />
    </div>
  );
}

function ConnectionTest({ id }: { id: string }) {
  const test = useMutation({ mutationFn: () => testDestination(id) });
  return (
    <section className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={<PlugZap size={15} />} isBusy={test.isPending} onClick={() => test.mutate()}>
          Test
        </Button>
        <p className="min-w-0 flex-1 text-xs text-ink-faint">Sends an empty test request with the saved settings.</p>
      </div>
      <div role="status" className="text-sm">
        {test.data !== undefined && !test.isPending && (
          <p>
            <span className={test.data.success ? 'font-medium text-good' : 'font-medium text-bad'}>
              {test.data.success ? 'Test delivered' : 'Test failed'}
            </span>
            : {test.data.result}, after {formatDuration(test.data.duration_ms)}.
            {!test.data.success && ' Check the address, the credentials and whether it is reachable from the gateway.'}
          </p>
        )}
      </div>
      {test.error !== null && <ErrorPanel error={test.error} title="The test could not run" />}
    </section>
  );
}
