import type { BroadcastDeliveryBody } from '@model-gateway/core/wire';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, RotateCw } from 'lucide-react';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { deliveriesQuery } from '../../features/destinations/destination-queries.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatFull, formatRelative } from '../../format/time.ts';
import { DELIVERY_STATES, DeliveryStateBadge, toStateOptions } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { EmptyState } from '../../parts/messages/states.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { Moment } from '../../parts/text/moment.tsx';

/** Deliveries that have not reached a destination: they wait for the next attempt, or are given up. */
export function DeliveryLog({ destinationId }: { destinationId: string }) {
  const client = useQueryClient();
  const query = useQuery(deliveriesQuery(destinationId));
  const { data, error } = query;
  const [state, setState] = useState<'' | 'waiting' | 'failed'>('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const resend = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) await callApi(`/admin/v1/destinations/deliveries/${id}/resend`, { method: 'POST' });
      return ids.length;
    },
    onSuccess: (count) => {
      setChosen(new Set());
      showToast({ tone: 'good', title: `${formatCount(count)} queued again` });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  if (data === undefined || error !== null)
    return <NotLoaded what="deliveries" failure="The log could not be loaded" query={query} />;
  if (data.data.length === 0)
    return (
      <EmptyState icon={<CircleCheck size={22} />} title="No undelivered requests">
        Failed and waiting deliveries are listed here with their attempts.
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
          label="State"
          value={state}
          options={[
            ['', `${DELIVERY_STATES.waiting.label} and ${DELIVERY_STATES.failed.label}`],
            ...toStateOptions(['waiting', 'failed']),
          ]}
          onChange={setState}
        />
        <span className="order-last w-full text-xs text-ink-faint sm:order-none sm:w-auto sm:flex-1">
          {formatCount(data.data.length)} of {formatCount(data.total_count)}, newest first
        </span>
        <Button
          icon={<RotateCw size={14} />}
          disabled={ids.length === 0}
          isBusy={resend.isPending}
          onClick={() => resend.mutate(ids)}
        >
          Send {ids.length === 0 ? 'chosen' : formatCount(ids.length)} again
        </Button>
      </div>
      {resend.error !== null && <ErrorPanel error={resend.error} title="Some were not resent" />}
      {shown.length === 0 ? (
        <EmptyState title={state === 'failed' ? 'No failed deliveries' : 'No waiting deliveries'}>
          <Button onClick={() => setState('')}>Show both</Button>
        </EmptyState>
      ) : (
        <ul className="flex flex-col gap-2">
          {shown.map((delivery) => (
            <li key={delivery.id} className="flex gap-3 rounded-lg border border-line p-3 text-sm">
              <input
                type="checkbox"
                aria-label={`Choose the delivery of ${formatFull(delivery.created_at)}`}
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

function DeliveryFacts({ delivery }: { delivery: BroadcastDeliveryBody }) {
  const { state, attempts, last_result: result, next_attempt_at: next, created_at: at } = delivery;
  const [first] = delivery.generation_ids;
  const count = delivery.generation_ids.length;
  return (
    <div className="min-w-0 flex-1">
      <p className="flex flex-wrap items-center gap-2">
        <DeliveryStateBadge state={state} />
        <span className="font-medium">{result ?? 'not attempted yet'}</span>
      </p>
      <p className="figures mt-1 text-xs text-ink-soft">
        <Moment at={at} /> · {attempts === 1 ? '1 attempt' : `${formatCount(attempts)} attempts`}
        {next !== null && ` · next ${formatRelative(next)}`}
      </p>
      <p className="mt-1 text-xs">
        {count === 1 ? '1 call' : `${formatCount(count)} calls`}
        {first !== undefined && (
          <>
            {', '}
            <Link to="/generations/$id" params={{ id: first }} className="text-accent underline">
              check the first
            </Link>
          </>
        )}
      </p>
    </div>
  );
}
