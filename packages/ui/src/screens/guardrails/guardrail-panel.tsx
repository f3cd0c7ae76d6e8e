import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Play, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { keyAssignmentsQuery, memberAssignmentsQuery } from '../../api/queries.ts';
import { useChangeForm } from '../../features/form/use-change-form.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { holdDeletion, showUndo, useHeldDeletions } from '../../parts/messages/toast-store.ts';
import { AssignmentsTab } from './assignments-tab.tsx';
import { ContentRules } from './content-rules.tsx';
import { DryRun, useDryRun } from './dry-run.tsx';
import { isDefault, toGuardrailChange, toGuardrailDraft, toReversal } from './guardrail-draft.ts';
import { refreshGuardrails, saveGuardrail } from './guardrail-queries.ts';
import { describeSubjects } from './guardrail-words.ts';
import { HitsTab } from './hits-tab.tsx';
import { ReachRules } from './reach-rules.tsx';
import { TextTester } from './text-tester.tsx';

export function GuardrailPanel({ guardrail, onClose }: { guardrail: Guardrail; onClose: () => void }) {
  const { id, name } = guardrail;
  const { form, before, change, isChanged } = useChangeForm(toGuardrailDraft(guardrail), toGuardrailChange);
  const save = useSaveGuardrail(guardrail, (saved) => form.reset(toGuardrailDraft(saved)));
  const [tab, setTab] = useState('rules');
  const { data: assignments = [] } = useQuery(keyAssignmentsQuery);
  const keys = assignments.filter(({ guardrail_id: of }) => of === id).map(({ key_hash: hash }) => hash);
  const dryRun = useDryRun(id, change, keys);
  const [isDeleting, setIsDeleting] = useState(false);
  const isGoing = useHeldDeletions().has(id);
  const undo = (): void => {
    form.reset(before);
    save.reset();
  };
  const startDryRun = (): void => {
    setTab('dry-run');
    void dryRun.start();
  };
  return (
    <SidePanel
      label={`Guardrail ${name}`}
      onClose={onClose}
      title={<h2 className="truncate font-semibold">{name}</h2>}
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
          <Button look="quiet" icon={<Play size={14} />} onClick={startDryRun}>
            Dry run
          </Button>
          <Button disabled={!isChanged || save.isPending} onClick={undo}>
            Undo
          </Button>
          <Button look="primary" disabled={!isChanged} isBusy={save.isPending} onClick={() => save.mutate(change)}>
            Save
          </Button>
        </>
      }
    >
      {save.error !== null && (
        <div className="p-3">
          <UnsavedPanel error={save.error} onRetry={() => save.mutate(change)} />
        </div>
      )}
      <Tabs
        label="Guardrail"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'rules', label: 'Access', content: () => <ReachRules form={form} error={save.error} /> },
          { value: 'contents', label: 'Content', content: () => <ContentRules form={form} error={save.error} /> },
          { value: 'holds-for', label: 'Assigned to', content: () => <AssignmentsTab guardrail={guardrail} /> },
          { value: 'hits', label: 'Hits', content: () => <HitsTab guardrail={guardrail} /> },
          { value: 'test', label: 'Test', content: () => <TextTester guardrailId={id} change={change} /> },
          {
            value: 'dry-run',
            label: 'Dry run',
            content: () => <DryRun dryRun={dryRun} isChanged={isChanged} keyCount={keys.length} />,
          },
        ]}
      />
      {isDeleting && <DeleteGuardrail guardrail={guardrail} onClose={() => setIsDeleting(false)} onGone={onClose} />}
    </SidePanel>
  );
}

/** Saves a change, and offers to take it back. */
function useSaveGuardrail(guardrail: Guardrail, show: (saved: Guardrail) => void) {
  const { id, name } = guardrail;
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Record<string, unknown>) => saveGuardrail(id, change),
    onSuccess: async (saved) => {
      show(saved);
      showUndo({
        title: 'Saved',
        async undo() {
          show(await saveGuardrail(id, toReversal(guardrail, saved)));
          await refreshGuardrails(client);
        },
        undone: `${name} restored`,
      });
      await refreshGuardrails(client);
    },
  });
}

interface DeleteGuardrailProps {
  readonly guardrail: Guardrail;
  readonly onClose: () => void;
  /** Called once it is about to be deleted. */
  readonly onGone: () => void;
}

function DeleteGuardrail({ guardrail, onClose, onGone }: DeleteGuardrailProps) {
  const { id, name } = guardrail;
  const client = useQueryClient();
  const { data: keys = [] } = useQuery(keyAssignmentsQuery);
  const { data: members = [] } = useQuery(memberAssignmentsQuery);
  const isOwn = ({ guardrail_id: of }: { guardrail_id: string }): boolean => of === id;
  const subjects = describeSubjects(keys.filter(isOwn).length, members.filter(isOwn).length);
  const remove = async (): Promise<void> => {
    holdDeletion({
      id,
      title: `“${name}” will be deleted`,
      detail: 'It remains active until this message closes.',
      async run() {
        await callApi(`/api/v1/guardrails/${id}`, { method: 'DELETE' });
        await refreshGuardrails(client);
      },
    });
    onGone();
  };
  return (
    <ConfirmDialog title={`Delete “${name}”?`} action="Delete guardrail" onClose={onClose} onConfirm={remove}>
      <p>
        {isDefault(guardrail)
          ? 'It will no longer apply to calls in its workspace.'
          : subjects === null
            ? 'It is not assigned to any key or member.'
            : `Its assignments are removed: only the default guardrail will apply to ${subjects}.`}{' '}
        It remains active and can be restored while the message is shown.
      </p>
    </ConfirmDialog>
  );
}
