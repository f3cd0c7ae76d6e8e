import type { Alarm } from '@model-gateway/core/wire';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { History, Plus, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';
import { describeResult } from '../../features/destinations/describe-result.ts';
import { RowMenu } from '../../features/list-screen/list-screen.tsx';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { ConfirmDialog, Dialog } from '../../parts/dialogs/dialog.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { showFailure, showToast } from '../../parts/messages/toast-store.ts';
import { showControls } from '../../parts/text/show-controls.ts';
import { AlarmForm, useSubjectNames } from './alarm-form.tsx';
import { alarmMessages } from './alarm-messages.ts';

const PATH = '/admin/v1/alarms';
/** One fires at any time, and what became of its messages follows. */
const REFRESH_MS = 15_000;

const alarmsQuery = queryOptions({
  queryKey: ['alarms'],
  queryFn: async ({ signal }) => (await callApi<{ data: Alarm[] }>(PATH, { signal })).data,
  refetchInterval: REFRESH_MS,
});

const reload = () => queryClient.invalidateQueries({ queryKey: alarmsQuery.queryKey });

type Opened =
  | { readonly type: 'new' }
  | { readonly type: 'edit'; readonly alarm: Alarm }
  | { readonly type: 'delete'; readonly alarm: Alarm };

/** The alarms, each with what can be done about it; `open` is the id of the one whose history is shown. */
export function AlarmsSection({ open }: { readonly open: string | undefined }) {
  const t = alarmMessages();
  const query = useQuery(alarmsQuery);
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<Opened | null>(null);
  const show = (id: string | undefined) =>
    void navigate({ to: '/settings', search: { section: 'alarms', ...(id !== undefined && { open: id }) } });
  const close = () => setDialog(null);
  const shown = query.data?.find(({ id }) => id === open);
  return (
    <section aria-label={t.title} className="card flex flex-col gap-3 p-4 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="flex-1 text-base font-semibold">{t.title}</h2>
        <Button icon={<Plus size={15} />} onClick={() => setDialog({ type: 'new' })}>
          {t.create}
        </Button>
      </div>
      <p className="max-w-prose text-ink-soft">{t.note}</p>
      <Loaded what={t.what} query={query} data={query.data} isFlush>
        {(alarms) =>
          alarms.length === 0 ? (
            <p className="text-ink-faint">{t.none}</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {alarms.map((alarm) => (
                <AlarmItem
                  key={alarm.id}
                  alarm={alarm}
                  onEdit={() => setDialog({ type: 'edit', alarm })}
                  onDelete={() => setDialog({ type: 'delete', alarm })}
                  onHistory={() => show(alarm.id)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {(dialog?.type === 'new' || dialog?.type === 'edit') && (
        <AlarmForm
          existing={dialog.type === 'edit' ? dialog.alarm : undefined}
          onClose={close}
          onSave={async (body) => {
            if (dialog.type === 'new') await callApi(PATH, { method: 'POST', body });
            else if (Object.keys(body).length > 0)
              await callApi(`${PATH}/${dialog.alarm.id}`, { method: 'PATCH', body });
            await reload();
            close();
          }}
        />
      )}
      {dialog?.type === 'delete' && (
        <ConfirmDialog
          title={t.confirmDelete(dialog.alarm.name)}
          action={t.confirm}
          onClose={close}
          onConfirm={async () => {
            await callApi(`${PATH}/${dialog.alarm.id}`, { method: 'DELETE' });
            await reload();
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
      {shown !== undefined && <HistoryDialog alarm={shown} onClose={() => show(undefined)} />}
    </section>
  );
}

interface AlarmItemProps {
  readonly alarm: Alarm;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  readonly onHistory: () => void;
}

function AlarmItem({ alarm, onEdit, onDelete, onHistory }: AlarmItemProps) {
  const t = alarmMessages();
  const nameOf = useSubjectNames();
  const { id, name, fired } = alarm;
  const test = useMutation({
    mutationFn: async () =>
      (await callApi<{ data: { success: boolean; result: string }[] }>(`${PATH}/${id}/test`, { method: 'POST' })).data,
    onSuccess(results) {
      const failed = results.find(({ success }) => !success);
      if (failed === undefined) showToast({ tone: 'good', title: t.tested });
      else showToast({ tone: 'bad', title: t.notTested(describeResult(failed.result)) });
    },
    onError: (failure) => showFailure(t.failed, failure),
  });
  const acknowledge = useMutation({
    mutationFn: () => callApi(`${PATH}/${id}`, { method: 'PATCH', body: { acknowledged: true } }),
    onSuccess: reload,
    onError: (failure) => showFailure(t.failed, failure),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span className="min-w-0 break-words">{showControls(name)}</span> <StateBadge alarm={alarm} />
        </p>
        <p className="text-xs text-ink-faint">
          {t.rule(t.kinds[alarm.what], toThresholdText(alarm), nameOf(alarm.of), t.periods[alarm.period])}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {fired !== null && fired.acknowledged_at === null && (
          <Button
            aria-label={t.acknowledgeNamed(name)}
            isBusy={acknowledge.isPending}
            onClick={() => acknowledge.mutate()}
          >
            {t.acknowledge}
          </Button>
        )}
        <Button aria-label={t.editNamed(name)} onClick={onEdit}>
          {t.edit}
        </Button>
        <RowMenu
          label={t.actionsFor(name)}
          items={[
            { label: t.history, icon: <History size={15} />, onSelect: onHistory },
            ...(alarm.to.length === 0
              ? []
              : [
                  {
                    label: t.test,
                    icon: <Send size={15} />,
                    isDisabled: test.isPending,
                    onSelect: () => test.mutate(),
                  },
                ]),
            { label: t.remove, icon: <Trash2 size={15} />, isDangerous: true, onSelect: onDelete },
          ]}
        />
      </div>
    </li>
  );
}

function StateBadge({ alarm: { silenced_until: silencedUntil, fired } }: { alarm: Alarm }) {
  const t = alarmMessages();
  if (silencedUntil !== null && Date.parse(silencedUntil) > Date.now())
    return <Badge>{t.silencedUntil(formatMoment(silencedUntil))}</Badge>;
  if (fired === null) return null;
  return fired.acknowledged_at === null ? (
    <Badge tone="bad">{t.firedAt(formatMoment(fired.at))}</Badge>
  ) : (
    <Badge tone="neutral">{t.acknowledged}</Badge>
  );
}

/** In the unit of what is looked at. */
function toThresholdText({ what, threshold }: Pick<Alarm, 'what' | 'threshold'>): string {
  switch (what) {
    case 'spend_share':
    case 'error_rate':
      return `${formatCount(threshold)} %`;
    case 'spend_usd':
    case 'projected_usd':
      return formatUsd(threshold);
    case 'first_token_ms':
    case 'duration_ms':
      return `${formatCount(threshold)} ms`;
    case 'spend_spike':
      return `${formatCount(threshold)} ×`;
    default:
      return formatCount(threshold);
  }
}

function HistoryDialog({ alarm, onClose }: { readonly alarm: Alarm; readonly onClose: () => void }) {
  const t = alarmMessages();
  const times = [...(alarm.fired === null ? [] : [alarm.fired]), ...(alarm.history ?? [])];
  return (
    <Dialog title={alarm.name} width="wide" onClose={onClose}>
      {times.length === 0 ? (
        <p className="text-sm text-ink-faint">{t.never}</p>
      ) : (
        <ol className="flex flex-col gap-3 text-sm">
          {times.map((time) => (
            <li key={time.id} className="border-b border-line/60 pb-3 last:border-0 last:pb-0">
              <p className="text-xs text-ink-faint">
                {formatMoment(time.at)}
                {time.acknowledged_at !== null && ` · ${t.acknowledgedAt(formatMoment(time.acknowledged_at))}`}
              </p>
              <p className="break-words">{showControls(time.message)}</p>
              {time === alarm.fired && <Deliveries alarm={alarm} />}
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}

function Deliveries({ alarm: { to, fired } }: { alarm: Alarm }) {
  const t = alarmMessages();
  return (
    <ul className="mt-1 flex flex-col gap-1 text-xs text-ink-soft">
      {fired?.deliveries.map((delivery, index) => {
        const receiver = to[index];
        if (receiver === undefined) return null;
        const isDelivered = delivery.delivered_at !== null;
        return (
          <li key={index} className="flex flex-wrap items-center gap-2">
            <Badge tone={isDelivered ? 'good' : delivery.next_at === null ? 'bad' : 'caution'}>
              {isDelivered ? t.delivered : delivery.next_at === null ? t.notDelivered : t.waiting}
            </Badge>
            {t.receivers[receiver.type]}
            {delivery.result !== null && <span className="text-ink-faint">{describeResult(delivery.result)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
