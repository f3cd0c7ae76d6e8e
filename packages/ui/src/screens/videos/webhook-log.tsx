import type { WebhookDelivery } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw, Webhook } from 'lucide-react';
import { useState } from 'react';

import { describeResult } from '../../features/destinations/describe-result.ts';
import { ListBody } from '../../features/list-screen/list-screen.tsx';
import { resendWebhook, webhooksQuery } from '../../features/videos/video-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatRelative } from '../../format/time.ts';
import { DeliveryStateBadge, toStateOptions } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import { Moment } from '../../parts/text/moment.tsx';
import { videosMessages } from './messages.tsx';

/** Empty for any. */
type State = '' | WebhookDelivery['state'];

export function WebhookLog({ onOpen }: { onOpen: (jobId: string) => void }) {
  const { webhooks: t } = videosMessages();
  const query = useQuery(webhooksQuery);
  const [state, setState] = useState<State>('');
  return (
    <ListBody
      what={t.what}
      failure={t.notLoaded}
      query={query}
      rows={query.data?.data}
      empty={
        <EmptyState icon={<Webhook size={22} />} title={t.empty}>
          {t.emptyHint}
        </EmptyState>
      }
    >
      {(deliveries) => (
        <Announcements
          deliveries={deliveries}
          total={query.data?.total_count}
          state={state}
          onState={setState}
          onOpen={onOpen}
        />
      )}
    </ListBody>
  );
}

interface AnnouncementsProps {
  readonly deliveries: readonly WebhookDelivery[];
  /** How many deliveries the gateway knows. */
  readonly total: number | undefined;
  readonly state: State;
  readonly onState: (state: State) => void;
  readonly onOpen: (jobId: string) => void;
}

function Announcements({ deliveries, total, state, onState, onOpen }: AnnouncementsProps) {
  const { webhooks: t } = videosMessages();
  const shown = deliveries.filter((delivery) => state === '' || delivery.state === state);
  return (
    <div className="scroll-thin flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
      <div className="flex flex-wrap items-center gap-3">
        <Select
          label={t.state}
          value={state}
          options={[['', t.anyState], ...toStateOptions(['waiting', 'delivered', 'failed'])]}
          onChange={onState}
        />
        <span className="text-xs text-ink-faint">{t.count(formatCount(shown.length), formatCount(total))}</span>
      </div>
      {shown.length === 0 ? (
        <EmptyState title={t.noneInState}>
          <Button onClick={() => onState('')}>{t.showAll}</Button>
        </EmptyState>
      ) : (
        <ul className="flex flex-col gap-2">
          {shown.map((delivery) => (
            <li key={delivery.job_id}>
              <WebhookEntry delivery={delivery} onOpen={() => onOpen(delivery.job_id)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function WebhookEntry({ delivery, onOpen }: { delivery: WebhookDelivery; onOpen?: () => void }) {
  const { webhooks: t } = videosMessages();
  const client = useQueryClient();
  const {
    job_id: id,
    event,
    url,
    state,
    attempts,
    last_result: result,
    next_attempt_at: next,
    created_at: at,
  } = delivery;
  const resend = useMutation({
    mutationFn: () => resendWebhook(id),
    onSuccess: () => showToast({ tone: 'good', title: t.resent }),
    onError: (failure) => showFailure(t.notResent, failure),
    onSettled: () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  return (
    <div className="flex flex-wrap items-start gap-3 rounded-lg border border-line bg-surface p-3 text-sm">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2">
          <DeliveryStateBadge state={state} />
          <span className="font-medium">{event}</span>
        </p>
        <p className="mt-1 font-mono text-xs break-all text-ink-soft">{url}</p>
        <p className="figures mt-1 text-xs text-ink-faint">
          <Moment at={at} /> · {t.attempts(attempts, formatCount(attempts))}
          {result !== null && ` · ${describeResult(result)}`}
          {next !== null && ` · ${t.next(formatRelative(next))}`}
        </p>
      </div>
      <div className="flex gap-2">
        {onOpen !== undefined && (
          <Button look="quiet" onClick={onOpen}>
            {t.job}
          </Button>
        )}
        <Button icon={<RotateCw size={14} />} isBusy={resend.isPending} onClick={() => resend.mutate()}>
          {t.resend}
        </Button>
      </div>
    </div>
  );
}
