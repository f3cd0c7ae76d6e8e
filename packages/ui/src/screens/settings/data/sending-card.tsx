import type { Destination } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { may } from '../../../api/session.ts';
import { describeResult } from '../../../features/destinations/describe-result.ts';
import {
  deliveriesQuery,
  destinationsQuery,
  type DestinationStatus,
} from '../../../features/destinations/destination-queries.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { Loaded } from '../../../parts/messages/loaded.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { sendingMessages } from './sending-messages.ts';

type Stream = 'audit' | 'metrics';

interface Sent {
  readonly destination: Destination;
  readonly stream: Stream;
}

const toSent = (destinations: readonly Destination[]): readonly Sent[] =>
  destinations.flatMap((destination) => [
    ...(destination.audit_log ? [{ destination, stream: 'audit' as const }] : []),
    ...(destination.metrics_every_seconds == null ? [] : [{ destination, stream: 'metrics' as const }]),
  ]);

/** Where the audit log and the metrics are sent to, and how that does. */
export function SendingCard() {
  return may('listBroadcastDeliveries') ? <PermittedCard /> : null;
}

function PermittedCard() {
  const t = sendingMessages();
  const query = useQuery(destinationsQuery);
  const deliveries = useQuery(deliveriesQuery());
  return (
    <section aria-label={t.title} className="card flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="flex-1 text-base font-semibold">{t.title}</h2>
        <Link to="/destinations" className="text-sm text-accent hover:underline">
          {t.open}
        </Link>
      </div>
      <Loaded
        what={t.what}
        failure={t.notLoaded}
        query={query.error === null ? deliveries : query}
        data={query.data && toSent(query.data)}
        isFlush
      >
        {(sent) => (
          <>
            <p className="text-sm text-ink-soft">{sent.length === 0 ? t.none : t.about}</p>
            {sent.length > 0 && (
              <ul className="grid items-start gap-3 sm:grid-cols-2">
                {sent.map(({ destination, stream }) => (
                  <SentItem
                    key={`${stream} ${destination.id}`}
                    destination={destination}
                    stream={stream}
                    status={deliveries.data?.destinations.find(({ destination_id: id }) => id === destination.id)}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

interface SentItemProps extends Sent {
  /** Undefined while it is loaded, and for a destination that is paused. */
  readonly status: DestinationStatus | undefined;
}

function SentItem({ destination, stream, status }: SentItemProps) {
  const t = sendingMessages();
  const { id, name, enabled, metrics_every_seconds: every } = destination;
  return (
    <li className="flex flex-col gap-2 rounded-lg border border-line px-3 py-2.5">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Link
          to="/destinations"
          search={{ open: id }}
          className="min-w-0 font-medium break-words text-accent hover:underline"
        >
          {showControls(name)}
        </Link>
        <Badge>{t.streams[stream]}</Badge>
        {!enabled && <Badge tone="caution">{t.paused}</Badge>}
      </p>
      {enabled ? (
        <StreamFacts state={status?.[stream] ?? null} every={stream === 'metrics' ? (every ?? null) : null} />
      ) : (
        <p className="text-sm text-ink-faint">{t.pausedNote}</p>
      )}
    </li>
  );
}

interface StreamFactsProps {
  readonly state: DestinationStatus[Stream];
  /** Seconds between two pushes of metrics; null for the audit log, whose records wait. */
  readonly every: number | null;
}

function StreamFacts({ state, every }: StreamFactsProps) {
  const t = sendingMessages();
  const faint = (text: string) => <span className="text-ink-faint">{text}</span>;
  const { queued = 0, last_delivered_at: delivered = null, last_failed_at: failed = null } = state ?? {};
  // One that has been overcome is no alarm any more.
  const isFailing = failed !== null && (delivered === null || failed > delivered);
  return (
    <Facts
      facts={[
        [t.delivered, delivered === null ? faint(t.never) : <Moment at={delivered} />],
        [
          t.failed,
          failed === null ? (
            faint(t.noFailure)
          ) : (
            <span className={isFailing ? 'text-bad' : 'text-ink-soft'}>
              <Moment at={failed} />
              {state?.last_failure != null && t.because(describeResult(state.last_failure))}
            </span>
          ),
        ],
        every === null
          ? [t.waiting, t.records(queued, formatCount(queued))]
          : [t.every, faint(t.everySeconds(formatCount(every)))],
      ]}
    />
  );
}
