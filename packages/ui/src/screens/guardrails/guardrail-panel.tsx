import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { guardrailsQuery, keyAssignmentsQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { AssignedKeys } from './assigned-keys.tsx';
import { ContentRules } from './content-rules.tsx';
import { DryRun } from './dry-run.tsx';
import { toGuardrailChange, toGuardrailDraft } from './guardrail-draft.ts';
import { ReachRules } from './reach-rules.tsx';
import { TextTester } from './text-tester.tsx';

export function GuardrailPanel({ guardrail, onClose }: { guardrail: Guardrail; onClose: () => void }) {
  const client = useQueryClient();
  const [tab, setTab] = useState('rules');
  const [before, setBefore] = useState(() => toGuardrailDraft(guardrail));
  const [draft, setDraft] = useState(before);
  const [isDeleting, setIsDeleting] = useState(false);
  const change = toGuardrailChange(draft, before);
  const isChanged = Object.keys(change).length > 0;
  const save = useMutation({
    mutationFn: () =>
      callApi<{ data: Guardrail }>(`/api/v1/guardrails/${guardrail.id}`, { method: 'PATCH', body: change }),
    onSuccess: async ({ data }) => {
      const saved = toGuardrailDraft(data);
      setBefore(saved);
      setDraft(saved);
      showToast({ tone: 'good', title: 'Saved; it holds from the next call on' });
      await client.invalidateQueries({ queryKey: guardrailsQuery.queryKey });
    },
  });
  const undo = (): void => {
    setDraft(before);
    save.reset();
  };
  return (
    <SidePanel
      label={`Guardrail ${guardrail.name}`}
      onClose={onClose}
      title={<h2 className="truncate font-semibold">{guardrail.name}</h2>}
      actions={
        <>
          <Button
            look="quiet"
            aria-label="Delete"
            title="Delete"
            icon={<Trash2 size={15} aria-hidden />}
            onClick={() => setIsDeleting(true)}
          />
          <Button disabled={!isChanged || save.isPending} onClick={undo}>
            Undo
          </Button>
          <Button look="primary" disabled={!isChanged} isBusy={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </>
      }
    >
      {save.error !== null && (
        <div className="p-3">
          <ErrorPanel error={save.error} title="Not saved" />
        </div>
      )}
      <Tabs
        label="About the guardrail"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'rules',
            label: 'Budget and reach',
            content: () => <ReachRules draft={draft} onChange={setDraft} error={save.error} />,
          },
          {
            value: 'contents',
            label: 'Contents',
            content: () => <ContentRules draft={draft} onChange={setDraft} error={save.error} />,
          },
          { value: 'keys', label: 'Keys', content: () => <AssignedKeys guardrailId={guardrail.id} /> },
          {
            value: 'test',
            label: 'Try a text',
            content: () => <TextTester guardrailId={guardrail.id} isChanged={isChanged} />,
          },
          {
            value: 'dry-run',
            label: 'Dry run',
            content: () => <DryRun guardrailId={guardrail.id} isChanged={isChanged} />,
          },
        ]}
      />
      {isDeleting && (
        <ConfirmDialog
          title={`Delete “${guardrail.name}”?`}
          action="Delete guardrail"
          typed={guardrail.name}
          onClose={() => setIsDeleting(false)}
          onConfirm={async () => {
            await callApi(`/api/v1/guardrails/${guardrail.id}`, { method: 'DELETE' });
            await Promise.all([
              client.invalidateQueries({ queryKey: guardrailsQuery.queryKey }),
              client.invalidateQueries({ queryKey: keyAssignmentsQuery.queryKey }),
            ]);
            onClose();
          }}
        >
          <p>Its assignments go with it: the keys it held for are limited by the default guardrail alone.</p>
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}
