import type { BudgetRaise } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { ifPermitted, may } from '../../api/session.ts';
import { formatUsd } from '../../format/money.ts';
import { formatMoment, fromLocalMoment, LAST_LOCAL_MOMENT, toLocalMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { InputField, numberOrNull } from '../form/fields.tsx';
import { raiseMessages, type RaisedKind } from './messages.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const PATH = '/admin/v1/budget-raises';

/** Whose budgets: `id` is the hash of a key, and else the id of the member or workspace. */
export interface Raised {
  readonly kind: RaisedKind;
  readonly id: string;
  readonly name: string;
}

type Raise = Pick<BudgetRaise, 'add_usd' | 'until'>;

const raisesQuery = queryOptions({
  queryKey: ['budget-raises'],
  queryFn: ifPermitted(
    'listBudgetRaises',
    async ({ signal }) => (await callApi<{ data: readonly BudgetRaise[] }>(PATH, { signal })).data,
    [],
  ),
});

const toPath = ({ kind, id }: Raised): string => `${PATH}/${encodeURIComponent(`${kind}:${id}`)}`;

const reload = () =>
  Promise.all([raisesQuery, keysQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })));

interface RaiseNoteProps {
  readonly of: Raised;
  /** What is raised for a time, which a key tells itself; null where nothing is. */
  readonly raise: Raise | null;
  /** The limit that is raised; null where only budgets are. */
  readonly limit?: number | null;
}

/** What the budgets have more for a time, and the way back; nothing while they have no more. */
export function RaiseNote({ of, raise, limit = null }: RaiseNoteProps) {
  const t = raiseMessages();
  const end = useMutation({
    mutationFn: () => callApi(toPath(of), { method: 'DELETE' }),
    onSuccess: reload,
    onError: (failure) => showFailure(t.notEnded, failure),
  });
  if (raise === null) return null;
  const [add, until] = [formatUsd(raise.add_usd), formatMoment(raise.until)];
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
      <p className="figures min-w-0 flex-1 basis-56">
        {limit === null ? t.budgets(add, until) : t.active(add, formatUsd(limit), until)}
      </p>
      {may('deleteBudgetRaise') && (
        <Button isBusy={end.isPending} onClick={() => end.mutate()}>
          {t.end}
        </Button>
      )}
    </div>
  );
}

/** The raise of a member or a workspace, which the list of raises tells; null for none. */
const useRaise = ({ kind, id }: Raised) => {
  const query = useQuery(raisesQuery);
  return { query, raise: query.data?.find(({ of }) => of === `${kind}:${id}`) ?? null };
};

/** The same for a member or a workspace. */
export function ListedRaiseNote({ of }: { readonly of: Raised }) {
  const { query, raise } = useRaise(of);
  const { notLoaded } = raiseMessages();
  if (useLastingFailure(query) !== null) return <NotLoaded what="" failure={notLoaded} query={query} isFlush />;
  return <RaiseNote of={of} raise={raise} />;
}

interface RaiseDialogProps {
  readonly of: Raised;
  readonly raise: Raise | null;
  readonly onClose: () => void;
}

/** The dialog that raises a limit, or budgets, until a time. */
export function RaiseDialog({ of, raise, onClose }: RaiseDialogProps) {
  const t = raiseMessages();
  const formId = useId();
  const form = useForm({
    defaultValues: {
      amount: raise?.add_usd ?? (null as number | null),
      until: toLocalMoment(raise?.until ?? new Date(Date.now() + DAY_MS).toISOString()),
    },
  });
  const save = useMutation({
    mutationFn: ({ amount, until }: { amount: number | null; until: string }) =>
      callApi(toPath(of), { method: 'PUT', body: { add_usd: amount, until: fromLocalMoment(until) } }),
    async onSuccess() {
      await reload();
      onClose();
    },
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  return (
    <Dialog
      title={t.titles[of.kind](of.name)}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.save} isBusy={save.isPending} onClose={onClose} />}
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <p className="text-sm text-ink-soft">{t.notes[of.kind]}</p>
        <InputField
          {...parts}
          name="amount"
          path="add_usd"
          label={t.amount}
          type="number"
          min={0}
          step="any"
          read={numberOrNull}
          required
        />
        <InputField {...parts} name="until" label={t.until} type="datetime-local" max={LAST_LOCAL_MOMENT} required />
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
      </form>
    </Dialog>
  );
}

/** The same for a member or a workspace. */
export function ListedRaiseDialog(props: Omit<RaiseDialogProps, 'raise'>) {
  const { raise } = useRaise(props.of);
  return <RaiseDialog {...props} raise={raise} />;
}
