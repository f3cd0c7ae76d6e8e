import type { KeyDetail } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { InputField, numberOrNull } from '../../features/form/fields.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatMoment, fromLocalMoment, toLocalMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog, FormActions } from '../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { keysMessages } from './messages.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const toPath = (hash: string): string => `/admin/v1/budget-raises/${encodeURIComponent(`key:${hash}`)}`;
const reload = () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });

/** What the limit of a key has more for a time, and the way back. */
export function ActiveRaise({ data: { hash, limit, limit_raise: raise } }: { readonly data: KeyDetail }) {
  const t = keysMessages().raise;
  const end = useMutation({
    mutationFn: () => callApi(toPath(hash), { method: 'DELETE' }),
    onSuccess: reload,
    onError: (failure) => showFailure(t.notEnded, failure),
  });
  if (raise === null) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
      <p className="figures min-w-0 flex-1 basis-56">
        {limit === null
          ? t.budgets(formatUsd(raise.add_usd), formatMoment(raise.until))
          : t.active(formatUsd(raise.add_usd), formatUsd(limit), formatMoment(raise.until))}
      </p>
      <Button isBusy={end.isPending} onClick={() => end.mutate()}>
        {t.end}
      </Button>
    </div>
  );
}

interface RaiseDialogProps {
  readonly data: KeyDetail;
  readonly onClose: () => void;
}

/** The dialog that raises the limit of a key until a time. */
export function RaiseDialog({ data: { hash, name, limit_raise: raise }, onClose }: RaiseDialogProps) {
  const t = keysMessages().raise;
  const formId = useId();
  const form = useForm({
    defaultValues: {
      amount: raise?.add_usd ?? (null as number | null),
      until: toLocalMoment(raise?.until ?? new Date(Date.now() + DAY_MS).toISOString()),
    },
  });
  const save = useMutation({
    mutationFn: ({ amount, until }: { amount: number | null; until: string }) =>
      callApi(toPath(hash), { method: 'PUT', body: { add_usd: amount, until: fromLocalMoment(until) } }),
    async onSuccess() {
      await reload();
      onClose();
    },
  });
  const submit = form.handleSubmit((values) => save.mutate(values));
  const parts = { form, error: save.error };
  return (
    <Dialog
      title={t.title(name)}
      onClose={onClose}
      actions={<FormActions formId={formId} submit={t.save} isBusy={save.isPending} onClose={onClose} />}
    >
      <form id={formId} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <p className="text-sm text-ink-soft">{t.note}</p>
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
        <InputField {...parts} name="until" label={t.until} type="datetime-local" required />
        {save.error !== null && <UnsavedPanel error={save.error} onRetry={() => void submit()} />}
      </form>
    </Dialog>
  );
}
