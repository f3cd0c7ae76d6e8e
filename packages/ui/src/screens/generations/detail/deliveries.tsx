import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { formatFull, formatRelative } from '../../../format/time.ts';
import { DeliveryStateBadge } from '../../../parts/delivery-state.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { EmptyState, Loading } from '../../../parts/messages/states.tsx';
import { deliveriesQuery, destinationsQuery } from '../../destinations/destination-queries.ts';

/** Where the generation has not arrived yet, or will not any more. */
export function Deliveries({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(deliveriesQuery());
  const { data: destinations = [] } = useQuery(destinationsQuery);
  if (error !== null) {
    return (
      <div className="p-4">
        <ErrorPanel error={error} title="The deliveries could not be loaded" onRetry={() => void refetch()} />
      </div>
    );
  }
  if (data === undefined) return <Loading what="deliveries" />;
  const left = data.data.filter(({ generation_ids: ids }) => ids.includes(id));
  if (left.length === 0) {
    return (
      <EmptyState title="Nothing is left to deliver">
        {destinations.length === 0
          ? 'There is no destination: generations stay here.'
          : 'It has arrived wherever it was meant to go. Only what has not arrived is listed.'}
      </EmptyState>
    );
  }
  return (
    <ul className="flex flex-col gap-2 p-4">
      {left.map((delivery) => (
        <li key={delivery.id} className="rounded-lg border border-line p-3 text-sm">
          <div className="flex flex-wrap items-center gap-2">
            <DeliveryStateBadge state={delivery.state} />
            <Link
              to="/destinations"
              search={{ open: delivery.destination_id }}
              className="font-medium text-accent underline"
            >
              {destinations.find((destination) => destination.id === delivery.destination_id)?.name ?? 'A destination'}
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
