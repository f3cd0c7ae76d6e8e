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
import { DryRun } from './dry-run.tsx';
import { isDefault, toGuardrailChange, toGuardrailDraft, toReversal } from './guardrail-draft.ts';
import { refreshGuardrails, saveGuardrail } from './guardrail-queries.ts';
import { describeSubjects } from './guardrail-words.ts';
import { HitsTab } from './hits-tab.tsx';
import { ReachRules } from './reach-rules.tsx';
import { TextTester } from './text-tester.tsx';

export function GuardrailPanel({ guardrail, onClose }: { guardrail: Guardrail; onClose: () => void }) {
  const { id, name } = guardrail;
  const client = useQueryClient();
  const [tab, setTab] = useState('rules');
  const [dryRuns, setDryRuns] = useState(0);
  const { form, before, change, isChanged } = useChangeForm(toGuardrailDraft(guardrail), toGuardrailChange);
  const [isDeleting, setIsDeleting] = useState(false);
  const isGoing = useHeldDeletions().has(id);
  const { data: keyAssignments = [] } = useQuery(keyAssignmentsQuery);
  const { data: memberAssignments = [] } = useQuery(memberAssignmentsQuery);
  const keys = keyAssignments.filter(({ guardrail_id: of }) => of === id).map(({ key_hash: hash }) => hash);
  const members = memberAssignments.filter(({ guardrail_id: of }) => of === id).length;
  const subjects = describeSubjects(keys.length, members);
  const show = (saved: Guardrail): void => form.reset(toGuardrailDraft(saved));
  const save = useMutation({
    mutationFn: () => saveGuardrail(id, change),
    onSuccess: async (saved) => {
      show(saved);
      showUndo({
        title: 'Saved; it holds from the next call on',
        async undo() {
          show(await saveGuardrail(id, toReversal(guardrail, saved)));
          await refreshGuardrails(client);
        },
        undone: `${name} is what it was before`,
      });
      await refreshGuardrails(client);
    },
  });
  const undo = (): void => {
    form.reset(before);
    save.reset();
  };
  const startDryRun = (): void => {
    setTab('dry-run');
    setDryRuns(dryRuns + 1);
  };
  const remove = (): void => {
    holdDeletion({
      id,
      title: `“${name}” will be deleted`,
      detail: 'It holds until this message goes.',
      async run() {
        await callApi(`/api/v1/guardrails/${id}`, { method: 'DELETE' });
        await refreshGuardrails(client);
      },
    });
    onClose();
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
            icon={<Trash2 size={15} aria-hidden />}
            onClick={() => setIsDeleting(true)}
          />
          <Button look="quiet" icon={<Play size={14} aria-hidden />} onClick={startDryRun}>
            Dry run
          </Button>
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
          <UnsavedPanel error={save.error} onRetry={() => save.mutate()} />
        </div>
      )}
      <Tabs
        label="About the guardrail"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'rules',
            label: 'Reach',
            content: () => <ReachRules form={form} error={save.error} />,
          },
          {
            value: 'contents',
            label: 'Contents',
            content: () => <ContentRules form={form} error={save.error} />,
          },
          { value: 'holds-for', label: 'Holds for', content: () => <AssignmentsTab guardrail={guardrail} /> },
          { value: 'hits', label: 'Hits', content: () => <HitsTab guardrail={guardrail} /> },
          { value: 'test', label: 'Try a text', content: () => <TextTester guardrailId={id} change={change} /> },
          {
            value: 'dry-run',
            label: 'Dry run',
            content: () => <DryRun guardrailId={id} change={change} keys={keys} startCount={dryRuns} />,
          },
        ]}
      />
      {isDeleting && (
        <ConfirmDialog
          title={`Delete “${name}”?`}
          action="Delete guardrail"
          onClose={() => setIsDeleting(false)}
          onConfirm={async () => remove()}
        >
          <p>
            {isDefault(guardrail)
              ? 'All calls in its workspace will be without it.'
              : subjects === null
                ? 'It holds for no key and no member.'
                : `Its assignments go with it: ${subjects} will be limited by the default guardrail alone.`}{' '}
            It holds, and this can be undone, for as long as the message about it is shown.
          </p>
        </ConfirmDialog>
      )}
    </SidePanel>
  );
}
