import type { Retention } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';

import { callApi } from '../../../api/call-api.ts';
import { queryClient } from '../../../api/query-client.ts';
import { toChanged, withTyped } from '../../../features/form/changes.ts';
import { InputField, numberOrNull } from '../../../features/form/fields.tsx';
import { useChangeForm } from '../../../features/form/use-change-form.ts';
import { formatBytes, formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { ConfirmDialog } from '../../../parts/dialogs/dialog.tsx';
import { UnsavedPanel } from '../../../parts/messages/error-panel.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { partMessages } from '../../../parts/part-messages.ts';
import { dataMessages } from './messages.tsx';

const PATH = '/admin/v1/retention';

const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: async ({ signal }) => (await callApi<{ data: Retention }>(PATH, { signal })).data,
});

interface Days {
  readonly days: number | null;
  readonly content_days: number | null;
  readonly audit_days: number | null;
}

const toDays = ({ stored }: Retention): Days => ({ ...stored, audit_days: stored.audit_days ?? null });

/** How long requests and their contents are kept. */
export function RetentionCard() {
  const t = dataMessages();
  const query = useQuery(retentionQuery);
  // As tall as the form that comes, so that the cards below stay where they are.
  const height = query.data === undefined ? 'min-h-111 sm:min-h-92' : '';
  return (
    <section aria-label={t.retention} className={`card flex flex-col gap-4 p-4 ${height}`}>
      <h2 className="text-base font-semibold">{t.retention}</h2>
      <Loaded what={t.what} failure={t.notLoaded} query={query} data={query.data} isFlush>
        {(retention) =>
          retention.changeable || retention.configured_audit_days !== null ? (
            <RetentionForm retention={retention} />
          ) : (
            <p className="text-sm text-ink-soft">{t.forever}</p>
          )
        }
      </Loaded>
    </section>
  );
}

function RetentionForm({ retention }: { retention: Retention }) {
  const t = dataMessages();
  const { configured_days: configured, configured_audit_days: configuredAudit, changeable, held } = retention;
  const { undo, save: saveLabel } = partMessages().actions;
  const { form, before, isChanged, show } = useChangeForm<Days>(toDays(retention), toChanged);
  const draft = useWatch({ control: form.control }) as Days;
  const isAuditShorter = (draft.audit_days ?? configuredAudit ?? MAX_DAYS) < (retention.audit_days ?? MAX_DAYS);
  const isTried = draft.days !== before.days || draft.content_days !== before.content_days;
  const days = draft.days ?? configured ?? MAX_DAYS;
  const tried = isTried && isValid({ ...draft, days }) ? { ...draft, days } : null;
  const losses = useQuery(lossesQuery(tried));
  const [asked, setAsked] = useState<Days | null>(null);
  const save = useMutation({
    // The gateway takes all days at once: those that are not changed here are sent as they are stored now.
    mutationFn: async (days: Days) => {
      const stored = toDays(await queryClient.fetchQuery({ ...retentionQuery, staleTime: 0 }));
      const { data } = await callApi<{ data: Retention }>(PATH, {
        method: 'PUT',
        body: withTyped(stored, before, days),
      });
      show(toDays(data), days);
      queryClient.setQueryData(retentionQuery.queryKey, data);
      showToast({ tone: 'good', title: t.saved });
      // What is gone is in no list and no chart.
      await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== retentionQuery.queryKey[0] });
    },
  });
  const submit = form.handleSubmit((days) => {
    if (tried !== null && losses.data === undefined) return;
    if (isAuditShorter || (losses.data !== undefined && hasLosses(losses.data))) setAsked(days);
    else save.mutate(days);
  });
  const error = save.error ?? losses.error;
  const parts = { form, error };
  const number = { type: 'number', min: 1, step: 1, read: numberOrNull } as const;
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <p className="max-w-prose text-sm text-ink-soft">{t.about}</p>
      {held && <p className="rounded-lg bg-caution-soft p-2.5 text-sm text-caution">{t.held}</p>}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {changeable && (
          <InputField
            {...parts}
            {...number}
            name="days"
            label={t.days}
            hint={t.configured(formatCount(configured))}
            placeholder={String(configured ?? '')}
            max={MAX_DAYS}
          />
        )}
        {changeable && (
          <InputField
            {...parts}
            {...number}
            name="content_days"
            label={t.contentDays}
            hint={t.contentHint}
            max={Math.min(days, MAX_DAYS)}
          />
        )}
        {configuredAudit !== null && (
          <InputField
            {...parts}
            {...number}
            name="audit_days"
            label={t.auditDays}
            hint={t.configured(formatCount(configuredAudit))}
            placeholder={String(configuredAudit)}
            max={MAX_DAYS}
          />
        )}
      </div>
      {error !== null && (
        <UnsavedPanel error={error} onRetry={() => void (save.error === null ? losses.refetch() : submit())} />
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p role="status" className="min-h-5 flex-1 basis-60 text-sm text-ink-soft">
          {losses.data !== undefined ? describeLosses(losses.data) : losses.isFetching ? t.counting : ''}
        </p>
        <Button
          disabled={!isChanged}
          onClick={() => {
            form.reset(before);
            save.reset();
          }}
        >
          {undo}
        </Button>
        {/* Nobody agrees to what is not counted yet; days that cannot be are told by the browser. */}
        <Button
          type="submit"
          look="primary"
          disabled={!isChanged || (tried !== null && losses.data === undefined)}
          isBusy={save.isPending}
        >
          {saveLabel}
        </Button>
      </div>
      {asked !== null && (
        <ConfirmDialog
          title={t.confirm.title}
          action={t.confirm.action}
          onClose={() => setAsked(null)}
          onConfirm={() => save.mutateAsync(asked)}
        >
          {losses.data !== undefined && <p>{describeLosses(losses.data)}</p>}
          {isAuditShorter && <p>{t.auditLoss}</p>}
          <p>{t.confirm.final}</p>
        </ConfirmDialog>
      )}
    </form>
  );
}

const MAX_DAYS = 3650;

const isWithin = (count: number, most: number): boolean => Number.isInteger(count) && count >= 1 && count <= most;

/** Whether the gateway could take them; where not, the browser says so when they are to be saved. */
const isValid = ({ days, content_days: contentDays }: { days: number; content_days: number | null }): boolean =>
  isWithin(days, MAX_DAYS) && (contentDays === null || isWithin(contentDays, days));

type Losses = NonNullable<Retention['would_delete']>;

const hasLosses = ({ generations, contents }: Losses): boolean => generations + contents > 0;

/** What the gateway would delete now with these days. */
const lossesQuery = (tried: Pick<Days, 'days' | 'content_days'> | null) =>
  queryOptions({
    queryKey: [...retentionQuery.queryKey, 'tried', tried],
    enabled: tried !== null,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: async ({ signal }): Promise<Losses> => {
      const { days, content_days: contentDays } = tried ?? { days: null, content_days: null };
      const query = { days: days ?? undefined, content_days: contentDays ?? undefined };
      const { data } = await callApi<{ data: Retention }>(PATH, { query, signal });
      return data.would_delete ?? { generations: 0, contents: 0, content_bytes: 0 };
    },
  });

function describeLosses({ generations, contents, content_bytes: bytes }: Losses): string {
  const t = dataMessages();
  if (generations + contents === 0) return t.nothing;
  const requests = t.requests(generations, formatCount(generations));
  const texts = t.contents(contents, formatCount(contents), formatBytes(bytes));
  if (generations === 0 || contents === 0) return t.deletes(generations === 0 ? texts : requests);
  return t.deletes(t.both(requests, texts));
}
