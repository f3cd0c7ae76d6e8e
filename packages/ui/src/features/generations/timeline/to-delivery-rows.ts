import type { BroadcastDeliveryBody, DestinationArrival } from '@model-gateway/core/wire';

import { formatFull } from '../../../format/time.ts';
import { DELIVERY_STATES } from '../../../parts/badge.tsx';
import type { TimelineRow, Piece } from '../../../parts/timeline/timeline.ts';
import { describeResult } from '../../destinations/describe-result.ts';
import { deliveryMessages } from './messages.ts';

/** What is known of the deliveries of a call or a film. */
export interface Deliveries {
  /** Names of the destinations by their ids. */
  readonly destinations: ReadonlyMap<string, string>;
  /** Requests that were sent, oldest first. */
  readonly arrivals: readonly DestinationArrival[];
  /** What has not arrived. */
  readonly waiting: readonly BroadcastDeliveryBody[];
}

/** A row for each destination, with every request that was sent there. `toMs` puts a moment on the axis. */
export function toDeliveryRows(
  { destinations, arrivals, waiting }: Deliveries,
  toMs: (iso: string) => number,
): readonly TimelineRow[] {
  const t = deliveryMessages();
  const ids = new Set([...arrivals, ...waiting].map(({ destination_id: id }) => id));
  return [...ids].map((id) => {
    const sent = arrivals.filter(({ destination_id: of }) => of === id);
    const left = waiting.find(({ destination_id: of }) => of === id);
    const label = t.to(destinations.get(id) ?? t.aDestination);
    const pieces = sent.map(({ sent_at: at, took_ms: tookMs, has_arrived: hasArrived, result }): Piece => ({
      atMs: toMs(at),
      tookMs,
      tone: hasArrived ? 'good' : 'bad',
      label: hasArrived ? t.arrived : result,
    }));
    if (left !== undefined) return toWaitingRow(left, { label, pieces, atMs: toMs(left.created_at) });
    const last = sent.at(-1);
    const hasArrived = last?.has_arrived === true;
    return {
      id: `delivery-${id}`,
      label,
      status: hasArrived ? t.delivered : t.notDelivered,
      tone: hasArrived ? 'good' : 'bad',
      pieces,
      detail: sent.map(({ sent_at: at, result, has_arrived: isThere }) =>
        isThere ? t.sent(formatFull(at)) : t.sentWith(formatFull(at), describeResult(result)),
      ),
    };
  });
}

function toWaitingRow(
  row: BroadcastDeliveryBody,
  { label, pieces, atMs }: { readonly label: string; readonly pieces: readonly Piece[]; readonly atMs: number },
): TimelineRow {
  const t = deliveryMessages();
  const result = row.last_result === null ? null : describeResult(row.last_result);
  const moment: Piece = { atMs, tookMs: null, tone: 'bad', label: result ?? t.notAttempted };
  const next = row.next_attempt_at === null ? [] : [t.next(formatFull(row.next_attempt_at))];
  return {
    id: `waiting-${row.id}`,
    label,
    status: DELIVERY_STATES[row.state].label,
    tone: 'bad',
    pieces: pieces.length === 0 ? [moment] : pieces,
    detail: [t.tries(row.attempts, result), ...next],
  };
}
