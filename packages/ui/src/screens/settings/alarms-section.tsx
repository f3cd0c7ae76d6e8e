import type { Alarm } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';

import { callApi } from '../../api/call-api.ts';
import { InputField, numberOrNull, SelectField } from '../../features/form/fields.tsx';
import { formatMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { alarmMessages } from './alarm-messages.ts';

const PATH = '/admin/v1/alarms';

const alarmsQuery = queryOptions({
  queryKey: ['alarms'],
  queryFn: async ({ signal }) => (await callApi<{ data: Alarm[] }>(PATH, { signal })).data,
});

/** The alarms, and the form of a new one. */
export function AlarmsSection() {
  const t = alarmMessages();
  const query = useQuery(alarmsQuery);
  return (
    <>
      <section className="card flex flex-col gap-3 p-4 text-sm">
        <h2 className="text-base font-semibold">{t.title}</h2>
        <p className="max-w-prose text-ink-soft">{t.note}</p>
        <Loaded what={t.what} query={query} data={query.data} isFlush>
          {(alarms) =>
            alarms.length === 0 ? <p className="text-ink-faint">{t.none}</p> : <AlarmTable alarms={alarms} />
          }
        </Loaded>
      </section>
      <NewAlarm />
    </>
  );
}

function AlarmTable({ alarms }: { alarms: readonly Alarm[] }) {
  const t = alarmMessages();
  return (
    <div
      className="scroll-thin overflow-x-auto rounded-lg border border-line"
      tabIndex={0}
      role="region"
      aria-label={t.title}
    >
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-ink-faint">
          <tr>
            {[t.name, t.kind, t.threshold, t.last, t.actions].map((head) => (
              <th key={head} className="px-3 py-2 font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {alarms.map((alarm) => (
            <tr key={alarm.id} className="border-t border-line/60">
              <td className="max-w-64 truncate px-3 py-2">{alarm.name}</td>
              <td className="px-3 py-2">{t.kinds[alarm.what]}</td>
              <td className="figures px-3 py-2">{alarm.threshold}</td>
              <td className="px-3 py-2" title={alarm.fired?.message}>
                {alarm.fired === null ? t.never : formatMoment(alarm.fired.at)}
              </td>
              <td className="px-3 py-2">
                <AlarmActions alarm={alarm} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AlarmActions({ alarm: { id, name, fired } }: { alarm: Alarm }) {
  const t = alarmMessages();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: async () =>
      (await callApi<{ data: { success: boolean; result: string }[] }>(`${PATH}/${id}/test`, { method: 'POST' })).data,
    onSuccess(results) {
      const failed = results.find(({ success }) => !success);
      if (failed === undefined) showToast({ tone: 'good', title: t.tested });
      else showToast({ tone: 'bad', title: t.notTested(failed.result) });
    },
    onError: (failure) => showFailure(t.failed, failure),
  });
  const change = useMutation({
    mutationFn: (request: { method: 'PATCH' | 'DELETE'; body?: object }) => callApi(`${PATH}/${id}`, request),
    onSuccess: () => client.invalidateQueries({ queryKey: alarmsQuery.queryKey }),
    onError: (failure) => showFailure(t.failed, failure),
  });
  return (
    <div className="flex gap-2">
      <Button aria-label={t.testNamed(name)} isBusy={test.isPending} onClick={() => test.mutate()}>
        {t.test}
      </Button>
      {fired !== null && fired.acknowledged_at === null && (
        <Button
          aria-label={t.acknowledgeNamed(name)}
          onClick={() => change.mutate({ method: 'PATCH', body: { acknowledged: true } })}
        >
          {t.acknowledge}
        </Button>
      )}
      <Button look="danger" aria-label={t.removeNamed(name)} onClick={() => change.mutate({ method: 'DELETE' })}>
        {t.remove}
      </Button>
    </div>
  );
}

type Draft = Pick<Alarm, 'name' | 'what' | 'period' | 'to'> & { readonly threshold: number | null };

/** One receiver; the API takes more. */
const EMPTY: Draft = {
  name: '',
  what: 'spend_usd',
  threshold: null,
  period: 'month',
  to: [{ type: 'webhook', url: '' }],
};

function NewAlarm() {
  const t = alarmMessages();
  const client = useQueryClient();
  const form = useForm<Draft>({ defaultValues: EMPTY });
  const create = useMutation({
    mutationFn: (draft: Draft) => callApi(PATH, { method: 'POST', body: draft }),
    async onSuccess() {
      form.reset(EMPTY);
      await client.invalidateQueries({ queryKey: alarmsQuery.queryKey });
    },
  });
  const submit = form.handleSubmit((draft) => create.mutate(draft));
  const shared = { form, error: create.error };
  return (
    <form onSubmit={(event) => void submit(event)} className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">{t.create}</h2>
      <div className="grid gap-4 sm:grid-cols-2">
        <InputField {...shared} name="name" label={t.name} />
        <SelectField {...shared} name="what" label={t.kind} options={Object.entries(t.kinds)} />
        <InputField
          {...shared}
          name="threshold"
          label={t.threshold}
          type="number"
          min={0}
          step="any"
          read={numberOrNull}
        />
        <SelectField {...shared} name="period" label={t.period} options={Object.entries(t.periods)} />
        <SelectField {...shared} name="to.0.type" label={t.receiver} options={Object.entries(t.receivers)} />
        <InputField {...shared} name="to.0.url" label={t.url} type="url" placeholder="https://" />
      </div>
      {create.error !== null && <UnsavedPanel error={create.error} onRetry={() => void submit()} />}
      <Button type="submit" look="primary" isBusy={create.isPending} className="self-end">
        {t.create}
      </Button>
    </form>
  );
}
