import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { DeliveryAttempt } from '../stores/store.ts';
import type { DeliveryOutcome } from '../webhooks/webhooks.ts';
import type { Destination } from '../wire/destinations.ts';
import type { BroadcastTrace, DestinationFormat, DestinationRequest } from './destination-format.ts';
import { sendRequest, type SendingContext } from './send-request.ts';

/**
 * Above this many characters of text traces are sent in several requests: encoding them blocks the process, for about
 * 10 ms at this size.
 */
const MAX_REQUEST_CHARACTERS = 250_000;
/** The approximate size of a trace without its text. */
const BARE_TRACE_CHARACTERS = 1000;

export interface DeliveringContext extends Omit<SendingContext, 'readResponse' | 'statuses'> {
  readonly platform: Pick<Platform, 'now' | 'monotonicNow'>;
  readonly destination: Destination;
  readonly format: DestinationFormat;
  readonly logger: Logger;
  /** A generation as its destination may see it; undefined when it was deleted, or is not for this destination. */
  readonly loadTrace: (generationId: string) => Promise<BroadcastTrace | undefined>;
  /** Receives what became of each request. */
  readonly onAttempt: (attempt: DeliveryAttempt) => void;
}

export interface Delivered {
  readonly outcome: DeliveryOutcome;
  /** False when none of them belonged to this destination, so that its state is unknown. */
  readonly isSent: boolean;
  /** Ids of the generations that were not delivered. */
  readonly remaining: readonly string[];
}

const NOTHING_TO_SEND: DeliveryOutcome = { isDelivered: true, result: 'nothing to send' };

/** Sends generations in order, in as few requests as their size allows. Stops at the first failure. */
export async function deliverGenerations(ids: readonly string[], context: DeliveringContext): Promise<Delivered> {
  const { platform, destination, onAttempt, signal } = context;
  let outcome = NOTHING_TO_SEND;
  let sentCount = 0;
  let traces: BroadcastTrace[] = [];
  let sending: string[] = [];
  let size = 0;
  for (const [index, id] of ids.entries()) {
    const trace = await context.loadTrace(id);
    if (trace !== undefined) {
      traces.push(trace);
      sending.push(id);
      size += BARE_TRACE_CHARACTERS + textLengthOf(trace.content);
    }
    const isLast = index === ids.length - 1;
    if (traces.length === 0 || (!isLast && size < MAX_REQUEST_CHARACTERS)) continue;
    const sentAt = platform.now();
    const startedAt = platform.monotonicNow();
    outcome = await sendTraces(traces, context);
    // One that was given up here says nothing of its destination.
    if (!signal.aborted) {
      const tookMs = Math.round(platform.monotonicNow() - startedAt);
      const { isDelivered: hasArrived, result } = outcome;
      onAttempt({ destinationId: destination.id, generationIds: sending, sentAt, tookMs, hasArrived, result });
    }
    if (!outcome.isDelivered) return { outcome, isSent: true, remaining: ids.slice(sentCount) };
    sentCount = index + 1;
    traces = [];
    sending = [];
    size = 0;
  }
  return { outcome, isSent: outcome !== NOTHING_TO_SEND, remaining: [] };
}

async function sendTraces(traces: readonly BroadcastTrace[], context: DeliveringContext): Promise<DeliveryOutcome> {
  const { format, destination, logger } = context;
  let outcome = NOTHING_TO_SEND;
  let requests: readonly DestinationRequest[];
  try {
    requests = await format.toRequests(traces, configOf(destination));
  } catch (error) {
    // Another attempt would fail the same way, and delay all later ones.
    logger.error('a broadcast could not be written', { destination: destination.id, reason: String(error) });
    return { isDelivered: false, result: `could not be written for ${format.type}`, isFinal: true };
  }
  for (const request of requests) {
    outcome = await sendRequest(request, { ...context, readResponse: format.readResponse });
    if (!outcome.isDelivered) return outcome;
  }
  return outcome;
}

/** A stored configuration was checked by the schema of its type when it was written. */
export function configOf({ config }: Pick<Destination, 'config'>): Parameters<DestinationFormat['toRequests']>[1] {
  return config as Parameters<DestinationFormat['toRequests']>[1];
}

function textLengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + textLengthOf(each), 0);
}
