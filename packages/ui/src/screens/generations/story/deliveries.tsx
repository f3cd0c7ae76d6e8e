import type { DestinationArrival } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { deliveriesQuery, destinationsQuery } from '../../../features/destinations/destination-queries.ts';
import { formatDuration } from '../../../format/quantity.ts';
import { formatFull, formatRelative } from '../../../format/time.ts';
import { Badge, DeliveryStateBadge } from '../../../parts/badge.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';

interface DeliveriesProps {
  readonly id: string;
  readonly arrivals: readonly DestinationArrival[];
}

/** Where the generation has arrived, as far as that is known, and where it has not, or will not any more. */
export function Deliveries({ id, arrivals }: DeliveriesProps) {
  const { data, error, refetch } = useQuery(deliveriesQuery());
  const { data: destinations = [] } = useQuery(destinationsQuery);
  if (error !== null) {
    return <ErrorPanel error={error} title="The deliveries could not be loaded" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Loading what="deliveries" />;
  const left = data.data.filter(({ generation_ids: ids }) => ids.includes(id));
  const nameOf = (destinationId: string): string =>
    showControls(destinations.find((destination) => destination.id === destinationId)?.name ?? 'A destination');
  if (left.length === 0 && arrivals.length === 0) {
    return (
      <p className="text-sm text-ink-soft">
        It was not sent to any destination, or so long ago that it is not known any more.
      </p>
    );
  }
  return (
    <ul aria-label="Deliveries" className="flex flex-col gap-2">
      {arrivals.map(
        ({ destination_id: destinationId, sent_at: at, took_ms: tookMs, has_arrived: hasArrived, result }) => (
          <li key={`${destinationId} ${at}`} className="rounded-lg border border-line p-3 text-sm">
            <div className="flex flex-wrap items-center gap-2">
              {hasArrived ? <DeliveryStateBadge state="delivered" /> : <Badge tone="bad">{result}</Badge>}
              <Link to="/destinations" search={{ open: destinationId }} className="font-medium text-accent underline">
                {nameOf(destinationId)}
              </Link>
              <span className="figures text-ink-faint">
                sent {formatFull(at)}, took {formatDuration(tookMs)}
              </span>
            </div>
          </li>
        ),
      )}
      {left.map((delivery) => (
        <li key={delivery.id} className="rounded-lg border border-line p-3 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <DeliveryStateBadge state={delivery.state} />
            <Link
              to="/destinations"
              search={{ open: delivery.destination_id }}
              className="font-medium text-accent underline"
            >
              {nameOf(delivery.destination_id)}
            </Link>
            <span className="text-ink-faint">
              {delivery.attempts} {delivery.attempts === 1 ? 'attempt' : 'attempts'}
            </span>
          </div>
          <p className="mt-1 text-ink-soft">{delivery.last_result ?? 'Not tried yet.'}</p>
          {delivery.next_attempt_at !== null && (
            <p className="text-xs text-ink-faint" title={formatFull(delivery.next_attempt_at)}>
              Next attempt {formatRelative(delivery.next_attempt_at)}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
