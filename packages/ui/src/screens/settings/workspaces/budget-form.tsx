import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';

import { CheckField, InputField, numberOrNull } from '../../../features/form/fields.tsx';
import { useChangeForm } from '../../../features/form/use-change-form.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { showUndo } from '../../../parts/messages/toast-store.ts';
import { partMessages } from '../../../parts/part-messages.ts';
import { workspaceMessages } from './messages.ts';
import { type Budgets, budgetsQuery, changeBudgets, INTERVALS, withChanged } from './workspace-queries.ts';

interface BudgetFormProps {
  readonly id: string;
  readonly budgets: Budgets;
}

const toChange = (draft: Budgets, before: Budgets): Record<string, unknown> =>
  JSON.stringify(draft) === JSON.stringify(before) ? {} : { ...draft };

/** The budgets of a workspace, which are saved together. */
export function BudgetForm({ id, budgets }: BudgetFormProps) {
  const t = workspaceMessages().budgets;
  const { form, before, isChanged, show } = useChangeForm(budgets, toChange);
  const client = useQueryClient();
  /** Begins again with what was changed, and with what others have set beside it. */
  const begin = (after: Budgets, former: Budgets, sent?: Budgets): void =>
    show(withChanged(client.getQueryData(budgetsQuery(id).queryKey) ?? after, { before: former, after }), sent);
  const save = useMutation({
    mutationFn: (after: Budgets) => changeBudgets(id, before, after),
    onSuccess: (_, after) => {
      begin(after, before, after);
      showUndo({
        title: t.saved,
        async undo() {
          await changeBudgets(id, after, before);
          begin(before, after);
        },
        undone: t.restored,
      });
    },
  });
  const draft = useWatch({ control: form.control }) as Budgets;
  const hasBudget = INTERVALS.some((interval) => draft[interval] !== null);
  const submit = form.handleSubmit((values) => save.mutate(values));
  const { undo, save: saveLabel } = partMessages().actions;
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <p className="text-sm text-ink-soft">{t.hint}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {INTERVALS.map((interval) => (
          <InputField
            key={interval}
            form={form}
            error={save.error}
            name={interval}
            label={t.labels[interval]}
            type="number"
            min={0.01}
            step="any"
            read={numberOrNull}
          />
        ))}
      </div>
      {hasBudget && <CheckField form={form} name="includesByok" label={t.byok} />}
      {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
      <div className="flex justify-end gap-2">
        <Button
          disabled={!isChanged}
          onClick={() => {
            form.reset(before);
            save.reset();
          }}
        >
          {undo}
        </Button>
        <Button type="submit" look="primary" disabled={!isChanged} isBusy={save.isPending}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}
