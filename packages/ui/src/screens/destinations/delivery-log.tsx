import type { BroadcastDeliveryBody } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, RotateCw } from 'lucide-react';
import { useState } from 'react';

import { ApiError } from '../../api/api-error.ts';
import { callApi } from '../../api/call-api.ts';
import { describeResult } from '../../features/destinations/describe-result.ts';
import { deliveriesQuery } from '../../features/destinations/destination-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatFull, formatRelative } from '../../format/time.ts';
import { DeliveryStateBadge, toStateOptions } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { Moment } from '../../parts/text/moment.tsx';
import { destinationsMessages } from './messages.ts';

/** Deliveries that have not reached a destination: they wait for the next attempt, or are given up. */
export function DeliveryLog({ destinationId }: { destinationId: string }) {
  const t = destinationsMessages().deliveries;
  const client = useQueryClient();
  const query = useQuery(deliveriesQuery(destinationId));
  const { data, error } = query;
  const [state, setState] = useState<'' | 'waiting' | 'failed'>('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const resend = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const missing: string[] = [];
      for (const id of ids) if (!(await resendDelivery(id))) missing.push(id);
      if (missing.length === 0) return { queued: ids.length, arrived: 0 };
      const left = await client.fetchQuery({ ...deliveriesQuery(destinationId), staleTime: 0 });
      const isOff = left.data.some(({ id }) => missing.includes(id));
      if (isOff) throw new Error(t.isOff);
      return { queued: ids.length - missing.length, arrived: missing.length };
    },
    onSuccess: ({ queued, arrived }) => {
      setChosen(new Set());
      const told = [...(queued > 0 ? [t.queued(queued)] : []), ...(arrived > 0 ? [t.arrived(arrived)] : [])];
      showToast({ tone: 'good', title: told.join('; ') });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  if (data === undefined || error !== null) return <NotLoaded what={t.what} failure={t.notLoaded} query={query} />;
  if (data.data.length === 0)
    return (
      <EmptyState icon={<CircleCheck size={22} />} title={t.empty}>
        {t.emptyText}
      </EmptyState>
    );
  const shown = data.data.filter((delivery) => state === '' || delivery.state === state);
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const ids = shown.map(({ id }) => id).filter((id) => chosen.has(id));
  return (
    <div className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={t.state}
          value={state}
          options={[['', t.both], ...toStateOptions(['waiting', 'failed'])]}
          onChange={setState}
        />
        <span className="order-last w-full text-xs text-ink-faint sm:order-none sm:w-auto sm:flex-1">
          {t.newestFirst(formatCount(data.data.length), formatCount(data.total_count))}
        </span>
        <Button
          icon={<RotateCw size={14} />}
          disabled={ids.length === 0}
          isBusy={resend.isPending}
          onClick={() => resend.mutate(ids)}
        >
          {t.resend(ids.length)}
        </Button>
      </div>
      {resend.error !== null && <ErrorPanel error={resend.error} title={t.notResent} />}
      {shown.length === 0 ? (
        <EmptyState title={state === 'failed' ? t.noFailed : t.noWaiting}>
          <Button onClick={() => setState('')}>{t.showBoth}</Button>
        </EmptyState>
      ) : (
        <ul className="flex flex-col gap-2">
          {shown.map((delivery) => (
            <li key={delivery.id} className="flex gap-3 rounded-lg border border-line p-3 text-sm">
              <input
                type="checkbox"
                aria-label={t.choose(formatFull(delivery.created_at))}
                className="mt-0.5 size-4 shrink-0 accent-accent"
                checked={chosen.has(delivery.id)}
                onChange={() => toggle(delivery.id)}
              />
              <DeliveryFacts delivery={delivery} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Queues a delivery again. False where there is nothing to send: it has arrived meanwhile, or the destination is off. */
async function resendDelivery(id: string): Promise<boolean> {
  try {
    await callApi(`/admin/v1/destinations/deliveries/${id}/resend`, { method: 'POST' });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

function DeliveryFacts({ delivery }: { delivery: BroadcastDeliveryBody }) {
  const t = destinationsMessages().deliveries;
  const { state, attempts, last_result: result, next_attempt_at: next, created_at: at } = delivery;
  const [first] = delivery.generation_ids;
  const count = delivery.generation_ids.length;
  return (
    <div className="min-w-0 flex-1">
      <p className="flex flex-wrap items-center gap-2">
        <DeliveryStateBadge state={state} />
        <span className="font-medium">{result === null ? t.notAttempted : describeResult(result)}</span>
      </p>
      <p className="figures mt-1 text-xs text-ink-soft">
        <Moment at={at} /> · {t.attempts(attempts)}
        {next !== null && t.next(formatRelative(next))}
      </p>
      <p className="mt-1 text-xs">
        {t.requests(count)}
        {first !== undefined && (
          <>
            {', '}
            <Link to="/generations/$id" params={{ id: first }} className="text-accent underline">
              {t.first}
            </Link>
          </>
        )}
      </p>
    </div>
  );
}
