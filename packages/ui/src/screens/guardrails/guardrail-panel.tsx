import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Play, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { keyAssignmentsQuery, memberAssignmentsQuery } from '../../api/queries.ts';
import { useChangeForm } from '../../features/form/use-change-form.ts';
import { refreshGuardrails, saveGuardrail } from '../../features/guardrails/guardrail-changes.ts';
import { isDefault } from '../../features/guardrails/is-default.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Tabs } from '../../parts/controls/tabs.tsx';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { SidePanel } from '../../parts/dialogs/side-panel.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { holdDeletion, showUndo, useHeldDeletions } from '../../parts/messages/toast-store.ts';
import { AssignmentsTab } from './assignments-tab.tsx';
import { ContentRules } from './content-rules.tsx';
import { useDryRun } from './dry-run.tsx';
import { type GuardrailDraft, toGuardrailChange, toGuardrailDraft, toReversal } from './guardrail-draft.ts';
import { describeSubjects } from './guardrail-words.ts';
import { HitsTab } from './hits-tab.tsx';
import { guardrailsMessages } from './messages.ts';
import { ReachRules } from './reach-rules.tsx';
import { type TestKind, TestTab } from './test-tab.tsx';

export function GuardrailPanel({ guardrail, onClose }: { guardrail: Guardrail; onClose: () => void }) {
  const t = guardrailsMessages().panel;
  const { id, name } = guardrail;
  const { form, before, change, isChanged, show } = useChangeForm(toGuardrailDraft(guardrail), toGuardrailChange);
  const save = useSaveGuardrail(guardrail, show);
  const send = (): void => save.mutate({ sent: form.getValues(), change });
  const [tab, setTab] = useState('rules');
  const [testKind, setTestKind] = useState<TestKind>('prompt');
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
    setTab('test');
    setTestKind('past');
    void dryRun.start();
  };
  return (
    <SidePanel
      label={t.label(name)}
      onClose={onClose}
      title={<h2 className="truncate font-semibold">{name}</h2>}
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
          <Button look="quiet" icon={<Play size={14} />} onClick={startDryRun}>
            {t.dryRun}
          </Button>
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
        onChange={setTab}
        tabs={[
          { value: 'rules', label: t.access, content: () => <ReachRules form={form} error={save.error} /> },
          { value: 'contents', label: t.content, content: () => <ContentRules form={form} error={save.error} /> },
          { value: 'holds-for', label: t.assigned, content: () => <AssignmentsTab guardrail={guardrail} /> },
          { value: 'hits', label: t.hits, content: () => <HitsTab guardrail={guardrail} /> },
          {
            value: 'test',
            label: t.test,
            content: () => (
              <TestTab
                guardrailId={id}
                change={change}
                dryRun={dryRun}
                keyCount={keys.length}
                kind={testKind}
                onKind={setTestKind}
              />
            ),
          },
        ]}
      />
      {isDeleting && <DeleteGuardrail guardrail={guardrail} onClose={() => setIsDeleting(false)} onGone={onClose} />}
    </SidePanel>
  );
}

interface Sent {
  readonly sent: GuardrailDraft;
  readonly change: Record<string, unknown>;
}

/** Saves a change, and offers to take it back. */
function useSaveGuardrail(guardrail: Guardrail, show: (saved: GuardrailDraft, sent?: GuardrailDraft) => void) {
  const { id, name } = guardrail;
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change }: Sent) => saveGuardrail(id, change),
    onSuccess: async (saved, { sent, change }) => {
      const reversal = toReversal(guardrail, saved, change);
      show(toGuardrailDraft(saved), sent);
      showUndo({
        title: guardrailsMessages().panel.saved,
        async undo() {
          show(toGuardrailDraft(await saveGuardrail(id, reversal)));
          await refreshGuardrails(client);
        },
        undone: guardrailsMessages().panel.restored(name),
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
  const t = guardrailsMessages().deletion;
  const { id, name } = guardrail;
  const client = useQueryClient();
  const { data: keys = [] } = useQuery(keyAssignmentsQuery);
  const { data: members = [] } = useQuery(memberAssignmentsQuery);
  const isOwn = ({ guardrail_id: of }: { guardrail_id: string }): boolean => of === id;
  const subjects = describeSubjects(keys.filter(isOwn).length, members.filter(isOwn).length);
  const remove = async (): Promise<void> => {
    holdDeletion({
      id,
      title: t.pending(name),
      detail: t.detail,
      async run() {
        await callApi(`/api/v1/guardrails/${id}`, { method: 'DELETE' });
        await refreshGuardrails(client);
      },
    });
    onGone();
  };
  return (
    <ConfirmDialog title={t.title(name)} action={t.action} onClose={onClose} onConfirm={remove}>
      <p>
        {isDefault(guardrail) ? t.ofWorkspace : subjects === null ? t.unassigned : t.assigned(subjects)} {t.undo}
      </p>
    </ConfirmDialog>
  );
}
