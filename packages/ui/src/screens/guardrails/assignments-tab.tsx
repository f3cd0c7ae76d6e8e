import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { assign, refreshGuardrails, type Subjects } from '../../features/guardrails/guardrail-changes.ts';
import { ConfirmDialog } from '../../parts/dialogs/dialog.tsx';
import { ErrorPanel, UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showUndo } from '../../parts/messages/toast-store.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { guardrailsMessages } from './messages.ts';
import { SubjectPicker, useSubjects } from './subject-picker.tsx';

interface Change {
  readonly subjects: Subjects;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What the guardrail is assigned to, at once. Each can have one: to take the place of another is asked about before. */
export function AssignmentsTab({ guardrail: { id, name } }: { guardrail: Guardrail }) {
  const t = guardrailsMessages().assigned;
  const client = useQueryClient();
  const [asked, setAsked] = useState<Change | null>(null);
  const { options, owners, nameOf, assigned, loading } = useSubjects(id);
  const apply = async ({ subjects, added, removed }: Change): Promise<void> => {
    if (added.length > 0) await assign({ guardrailId: id, subjects }, added, true);
    if (removed.length > 0) await assign({ guardrailId: id, subjects }, removed, false);
  };
  /** Gives everyone back the guardrail that they had. */
  const revert = async ({ subjects, added, removed }: Change, before: ReadonlyMap<string, string>): Promise<void> => {
    for (const subject of added) {
      const owner = before.get(`${subjects} ${subject}`);
      await assign({ guardrailId: owner ?? id, subjects }, [subject], owner !== undefined);
    }
    if (removed.length > 0) await assign({ guardrailId: id, subjects }, removed, true);
    await refreshGuardrails(client);
  };
  const labelOf = (subjects: Subjects, subject: string): string =>
    options[subjects].find(({ value }) => value === subject)?.label ?? subject;
  /** Those that have another guardrail. */
  const taken = ({ subjects, added }: Change): readonly string[] =>
    added.filter((subject) => owners.has(`${subjects} ${subject}`));
  const change = useMutation({
    mutationFn: apply,
    onSuccess: (_, made) => {
      const before = new Map(owners);
      showUndo({
        title: [
          ...(made.added.length > 0
            ? [t.added(name, made.added.map((one) => labelOf(made.subjects, one)).join(', '))]
            : []),
          ...(made.removed.length > 0
            ? [t.removed(name, made.removed.map((one) => labelOf(made.subjects, one)).join(', '))]
            : []),
        ].join('; '),
        undo: () => revert(made, before),
        undone: t.restored,
      });
    },
    onSettled: () => refreshGuardrails(client),
  });
  const ownerName = (subjects: Subjects, subject: string): string => nameOf(owners.get(`${subjects} ${subject}`) ?? '');
  if (loading.data === undefined) return <NotLoaded what={t.what} query={loading} />;
  const picker = (subjects: Subjects, hint: string) => {
    // What is under way is shown as if it had been done.
    const pending = change.isPending && change.variables.subjects === subjects ? change.variables : undefined;
    const now = assigned(subjects);
    const chosen =
      pending === undefined ? now : [...now.filter((one) => !pending.removed.includes(one)), ...pending.added];
    return (
      <SubjectPicker
        subjects={subjects}
        options={options[subjects]}
        chosen={[...new Set(chosen)]}
        hint={hint}
        onChange={(ids) => {
          if (change.isPending) return;
          const added = ids.filter((one) => !now.includes(one));
          const removed = now.filter((one) => !ids.includes(one));
          const next = { subjects, added, removed };
          if (taken(next).length > 0) setAsked(next);
          else if (added.length + removed.length > 0) change.mutate(next);
        }}
      />
    );
  };
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4 *:max-w-2xl">
      {change.error !== null && (
        <UnsavedPanel
          error={change.error}
          title={t.notAssigned}
          kept={t.unchanged}
          onRetry={() => change.mutate(change.variables)}
        />
      )}
      {loading.error !== null && (
        <ErrorPanel
          error={loading.error}
          title={partMessages().error.notLoaded(t.what)}
          onRetry={() => void loading.refetch()}
        />
      )}
      <p className="text-sm text-ink-soft">{t.text}</p>
      {picker('keys', t.keysHint)}
      {picker('members', t.membersHint)}
      {asked !== null && (
        <ConfirmDialog
          title={t.replaceTitle(ownerName(asked.subjects, taken(asked)[0] ?? ''))}
          action={t.replace}
          onClose={() => setAsked(null)}
          onConfirm={() => change.mutateAsync(asked)}
        >
          {taken(asked).map((subject) => (
            <p key={subject}>
              {t.replaceText(labelOf(asked.subjects, subject), ownerName(asked.subjects, subject), name)}
            </p>
          ))}
        </ConfirmDialog>
      )}
    </div>
  );
}
