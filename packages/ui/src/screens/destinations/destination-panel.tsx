import type { Destination } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PlugZap, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useController } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { describeResult } from '../../features/destinations/describe-result.ts';
import {
  changeDestination,
  destinationsQuery,
  testDestination,
} from '../../features/destinations/destination-queries.ts';
import { CheckField, type FormParts, InputField, numberOrNull } from '../../features/form/fields.tsx';
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
  AUDIT_TYPES,
  METRICS_TYPES,
  type DestinationDraft,
  toDestinationChange,
  toDestinationDraft,
  toDestinationReversal,
} from './destination-draft.ts';
import { destinationsMessages } from './messages.ts';
import { SelectionFields } from './selection-fields.tsx';

interface DestinationPanelProps {
  readonly destination: Destination;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly onClose: () => void;
}

export function DestinationPanel({ destination, tab, onTab, onClose }: DestinationPanelProps) {
  const { panel: t, types, log } = destinationsMessages();
  const { id, name, type } = destination;
  const { form, before, change, isChanged, show } = useChangeForm(toDestinationDraft(destination), toDestinationChange);
  const save = useSaveDestination(destination, show);
  const [isDeleting, setIsDeleting] = useState(false);
  const isGoing = useHeldDeletions().has(id);
  const undo = (): void => {
    form.reset(before);
    save.reset();
  };
  const send = (): void => {
    const sent = form.getValues();
    save.mutate({ sent, change, reversal: toDestinationReversal(sent, before) });
  };
  const parts = { form, error: save.error };
  return (
    <SidePanel
      label={t.label(name)}
      onClose={onClose}
      title={
        <h2 className="truncate font-semibold">
          {name} <span className="text-sm font-normal text-ink-faint">{types[type].label}</span>
        </h2>
      }
      actions={
        <>
          <Button
            look="quiet"
            aria-label={t.delete}
            title={t.delete}
            disabled={isGoing}
            icon={<Trash2 size={15} />}
            onClick={() => setIsDeleting(true)}
          />
          {isChanged && (
            <Button disabled={save.isPending} onClick={undo}>
              {t.undo}
            </Button>
          )}
          <Button look="primary" disabled={!isChanged} isBusy={save.isPending} onClick={send}>
            {t.save}
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
        label={t.tabs}
        value={tab}
        onChange={onTab}
        tabs={[
          { value: 'where', label: t.where, content: () => <WhereTab {...parts} destination={destination} /> },
          { value: 'what', label: t.what, content: () => <SelectionFields {...parts} /> },
          { value: 'log', label: log, content: () => <DeliveryLog destinationId={id} /> },
        ]}
      />
      {isDeleting && (
        <DeleteDestination destination={destination} onClose={() => setIsDeleting(false)} onGone={onClose} />
      )}
    </SidePanel>
  );
}

interface Sent {
  readonly sent: DestinationDraft;
  readonly change: Record<string, unknown>;
  /** What takes the change back; null where that cannot be. */
  readonly reversal: Record<string, unknown> | null;
}

/** Saves a change, and offers to take it back where that can be. */
function useSaveDestination(
  { id, name }: Destination,
  show: (saved: DestinationDraft, sent?: DestinationDraft) => void,
) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
  return useMutation({
    mutationFn: ({ change }: Sent) => changeDestination(id, change),
    onSuccess: async (saved, { sent, reversal }) => {
      const t = destinationsMessages().panel;
      const title = t.saved;
      show(toDestinationDraft(saved), sent);
      if (reversal === null) showToast({ tone: 'good', title });
      else {
        showUndo({
          title,
          async undo() {
            show(toDestinationDraft(await changeDestination(id, reversal)));
            await refresh();
          },
          undone: t.restored(name),
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
  const t = destinationsMessages().deletion;
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: destinationsQuery.queryKey });
  /** Nothing is sent from now on; its secrets are there until it is deleted for good, with the page at the latest. */
  const remove = async (): Promise<void> => {
    if (enabled) await changeDestination(id, { enabled: false });
    holdDeletion({
      id,
      title: t.pending(name),
      detail: t.detail,
      onClosing: 'delete',
      async run() {
        await callApi(`/api/v1/observability/destinations/${id}`, { method: 'DELETE', isKept: true });
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
    <ConfirmDialog title={t.title(name)} action={t.action} onClose={onClose} onConfirm={remove}>
      <p>{t.text}</p>
    </ConfirmDialog>
  );
}

function WhereTab({ destination, form, error }: FormParts<DestinationDraft> & { destination: Destination }) {
  const t = destinationsMessages().panel;
  const { id, type } = destination;
  const { field: config } = useController({ control: form.control, name: 'config' });
  const { field: headers } = useController({ control: form.control, name: 'headers' });
  return (
    <div className="scroll-thin flex h-full flex-col gap-5 overflow-y-auto p-4 *:max-w-2xl">
      <CheckField form={form} name="enabled" label={t.enabled} hint={t.enabledHint} />
      {AUDIT_TYPES.has(type) && <CheckField form={form} name="audit_log" label={t.auditLog} hint={t.auditLogHint} />}
      <InputField form={form} error={error} name="name" label={t.name} maxLength={200} />
      <ConfigFields
        type={type}
        draft={{ config: config.value, headers: headers.value }}
        error={error}
        onChange={(next) => {
          if (next.config !== undefined) config.onChange(next.config);
          if (next.headers !== undefined) headers.onChange(next.headers);
        }}
      />
      {METRICS_TYPES.has(type) && (
        <InputField
          form={form}
          error={error}
          name="metrics_every_seconds"
          label={t.metrics}
          hint={t.metricsHint}
          fieldClass="max-w-72"
          type="number"
          min={10}
          max={3600}
          step={1}
          read={numberOrNull}
        />
      )}
      <ConnectionTest id={id} />
    </div>
  );
}

function ConnectionTest({ id }: { id: string }) {
  const { panel: t, test: testLabel, testNotRun } = destinationsMessages();
  const test = useMutation({ mutationFn: () => testDestination(id) });
  return (
    <section className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={<PlugZap size={15} />} isBusy={test.isPending} onClick={() => test.mutate()}>
          {testLabel}
        </Button>
        <p className="min-w-0 flex-1 text-xs text-ink-faint">{t.testHint}</p>
      </div>
      <div role="status" className="text-sm">
        {test.data !== undefined && !test.isPending && (
          <p>
            <span className={test.data.success ? 'font-medium text-good' : 'font-medium text-bad'}>
              {test.data.success ? t.delivered : t.notDelivered}
            </span>
            {t.after(describeResult(test.data.result), formatDuration(test.data.duration_ms))}
            {!test.data.success && t.advice}
          </p>
        )}
      </div>
      {test.error !== null && <ErrorPanel error={test.error} title={testNotRun} />}
    </section>
  );
}
