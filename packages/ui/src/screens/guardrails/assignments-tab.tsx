import type { Guardrail } from '@model-gateway/core/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';

import { ErrorPanel, UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { showUndo } from '../../parts/messages/toast-store.ts';
import { assign, refreshGuardrails, type Subjects } from './guardrail-queries.ts';
import { SubjectPicker, useSubjects } from './subject-picker.tsx';

interface Change {
  readonly subjects: Subjects;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Whom the guardrail holds for. Each has one at most; taking it here takes it from another. In force at once. */
export function AssignmentsTab({ guardrail: { id, name } }: { guardrail: Guardrail }) {
  const client = useQueryClient();
  const { options, owners, assigned, isLoading, error } = useSubjects(id);
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
  const change = useMutation({
    mutationFn: apply,
    onSuccess: (_, made) => {
      const before = new Map(owners);
      const labelOf = (subject: string): string =>
        options[made.subjects].find(({ value }) => value === subject)?.label ?? subject;
      showUndo({
        title: [
          ...(made.added.length > 0 ? [`${name} assigned to ${made.added.map(labelOf).join(', ')}`] : []),
          ...(made.removed.length > 0 ? [`${name} removed from ${made.removed.map(labelOf).join(', ')}`] : []),
        ].join('; '),
        undo: () => revert(made, before),
        undone: 'Assignments restored',
      });
    },
    onSettled: () => refreshGuardrails(client),
  });
  if (isLoading) return <Loading what="keys and members" />;
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
        onChange={(next) => {
          if (change.isPending) return;
          const added = next.filter((one) => !now.includes(one));
          const removed = now.filter((one) => !next.includes(one));
          if (added.length + removed.length > 0) change.mutate({ subjects, added, removed });
        }}
      />
    );
  };
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      {change.error !== null && (
        <UnsavedPanel
          error={change.error}
          title="Not assigned"
          kept="Nothing was changed"
          onRetry={() => change.mutate(change.variables)}
        />
      )}
      {error !== null && <ErrorPanel error={error} />}
      <p className="text-sm text-ink-soft">
        Applies from the next request. A key or member can have one guardrail; assigning replaces the current one.
      </p>
      {picker('keys', 'Calls with these keys')}
      {picker('members', 'Calls with any key of these members')}
    </div>
  );
}
