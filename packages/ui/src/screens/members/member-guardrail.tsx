import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useId, useMemo, useState } from 'react';

import { guardrailsQuery, memberAssignmentsQuery, modelsQuery } from '../../api/queries.ts';
import { assign, createGuardrail, refreshGuardrails } from '../../features/guardrails/guardrail-changes.ts';
import { isDefault } from '../../features/guardrails/is-default.ts';
import { guardrailPartMessages } from '../../features/guardrails/messages.ts';
import { toModelOptions } from '../../features/guardrails/model-options.ts';
import { ResourceCard } from '../../features/resource-page/resource-page.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Field, issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { MultiSelect } from '../../parts/controls/multi-select.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { ConfirmDialog, Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showFailure, showUndo } from '../../parts/messages/toast-store.ts';
import { membersMessages } from './messages.ts';

interface MemberGuardrailProps {
  readonly id: string;
  /** What people call the member. */
  readonly name: string;
}

interface Assigned {
  readonly id: string;
  readonly name: string;
}

/** Gives a member this guardrail; null takes the present one away. */
async function putGuardrail(member: string, before: Assigned | undefined, after: Assigned | null): Promise<void> {
  if (after !== null) await assign({ guardrailId: after.id, subjects: 'members' }, [member], true);
  else if (before !== undefined) await assign({ guardrailId: before.id, subjects: 'members' }, [member], false);
}

/** The guardrail of a member: chosen, taken away, or created here. */
export function MemberGuardrail({ id, name }: MemberGuardrailProps) {
  const t = membersMessages().guardrail;
  const client = useQueryClient();
  const { data: assignments } = useQuery(memberAssignmentsQuery);
  const { data: guardrails = [] } = useQuery(guardrailsQuery);
  const [asked, setAsked] = useState<Assigned | 'none' | null>(null);
  const [isCreating, setIsCreating] = useState(false);
  const present = assignments?.find(({ user_id: user }) => user === id)?.guardrail_id;
  const before = guardrails.find((guardrail) => guardrail.id === present);
  const change = useMutation({
    mutationFn: (after: Assigned | null) => putGuardrail(id, before, after),
    onSuccess: async (_, after) => {
      showUndo({
        title: after === null ? t.unassigned(before?.name ?? '', name) : t.assigned(after.name, name),
        async undo() {
          await putGuardrail(id, after ?? undefined, before ?? null);
          await refreshGuardrails(client);
        },
        undone: t.restored,
      });
      await refreshGuardrails(client);
    },
    onError: (failure) => showFailure(t.notChanged, failure),
  });
  const choose = (chosen: string): void => {
    const after = guardrails.find((guardrail) => guardrail.id === chosen);
    if (before !== undefined) setAsked(after ?? 'none');
    else if (after !== undefined) change.mutate(after);
  };
  return (
    <ResourceCard title={t.title}>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={t.label}
          value={before?.id ?? ''}
          options={[
            ['', t.none],
            ...guardrails.filter((one) => !isDefault(one)).map((one) => [one.id, one.name] as const),
          ]}
          onChange={choose}
        />
        <Button icon={<Plus size={15} />} onClick={() => setIsCreating(true)}>
          {t.create}
        </Button>
        {before !== undefined && (
          <Link to="/guardrails" search={{ open: before.id }} className="text-sm text-accent hover:underline">
            {t.open}
          </Link>
        )}
      </div>
      <p className="mt-3 text-xs text-ink-faint">{t.about}</p>
      {asked !== null && before !== undefined && (
        <ConfirmDialog
          title={asked === 'none' ? t.removeTitle(before.name) : t.replaceTitle(before.name)}
          action={asked === 'none' ? t.removeAction : t.replace}
          onClose={() => setAsked(null)}
          onConfirm={() => change.mutateAsync(asked === 'none' ? null : asked)}
        >
          <p>{asked === 'none' ? t.removeText(name, before.name) : t.replaceText(name, before.name, asked.name)}</p>
        </ConfirmDialog>
      )}
      {isCreating && <NewMemberGuardrail id={id} name={name} before={before} onClose={() => setIsCreating(false)} />}
    </ResourceCard>
  );
}

interface NewMemberGuardrailProps extends MemberGuardrailProps {
  readonly before: Assigned | undefined;
  readonly onClose: () => void;
}

/** Creates a guardrail that blocks models, for a member. */
function NewMemberGuardrail({ id, name: member, before, onClose }: NewMemberGuardrailProps) {
  const t = membersMessages().guardrail;
  const parts = guardrailPartMessages();
  const formId = useId();
  const client = useQueryClient();
  const { data: models } = useQuery(modelsQuery);
  const options = useMemo(() => toModelOptions(models ?? []), [models]);
  const [name, setName] = useState(t.firstName(member));
  const [blocked, setBlocked] = useState<readonly string[]>([]);
  const create = useMutation({
    mutationFn: () => createGuardrail({ name, ...(blocked.length > 0 && { ignored_models: blocked }) }),
    onSuccess: async (created) => {
      try {
        await assign({ guardrailId: created.id, subjects: 'members' }, [id], true);
      } catch (error) {
        showFailure(t.notAssigned(created.name), error);
      }
      await refreshGuardrails(client);
      onClose();
    },
  });
  return (
    <Dialog
      title={t.dialogTitle(member)}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.save} isBusy={create.isPending} onClose={onClose} />}
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <LabelledInput
          label={t.name}
          error={issueFor(create.error, 'name')}
          required
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <Field label={t.blocked} hint={t.blockedHint} error={issueFor(create.error, 'ignored_models')}>
          {(control) => (
            <MultiSelect
              control={control}
              noun={parts.models}
              options={options}
              chosen={blocked}
              onChange={setBlocked}
              placeholder={parts.noModels}
              allowsOther
              unknownNote={parts.unknownModel}
            />
          )}
        </Field>
        {before !== undefined && (
          <p className="rounded-lg bg-caution-soft p-2.5 text-sm text-caution">
            {parts.onlyOne} {parts.replaces(before.name, member)}
          </p>
        )}
        {create.error !== null && <UnsavedPanel error={create.error} onRetry={() => create.mutate()} />}
      </form>
    </Dialog>
  );
}
