import type { BootstrapKey } from '../auth/authenticate.ts';
import { createFindKeyNames } from '../auth/keys.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import { readRetryAfterSeconds, type Transport, TransportError } from '../foundation/transport.ts';
import type { CacheExaminer } from '../generations/cache-doctor/cache-examiner.ts';
import { toPublicContent } from '../generations/to-generation.ts';
import type { DeliveryAttempt, Store } from '../stores/store.ts';
import type { DeliveryOutcome } from '../webhooks/webhooks.ts';
import type { Destination } from '../wire/destinations.ts';
import { compileFilterRules, isSampled } from './destination-filter.ts';
import type { BroadcastTrace, DestinationFormat, DestinationRequest } from './destination-format.ts';
import { forDestination, toBroadcastTrace } from './to-broadcast-trace.ts';

/**
 * Above this many characters of text traces are sent in several requests: encoding them blocks the process, for about
 * 10 ms at this size.
 */
const MAX_REQUEST_CHARACTERS = 250_000;
/** The approximate size of a trace without its text. */
const BARE_TRACE_CHARACTERS = 1000;

interface DeliveringContext extends Omit<SendingContext, 'readResponse' | 'statuses'> {
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
    // One that was given up here is no result of its destination.
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

const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** With any other status below 500 the receiver refuses the request itself. */
const WORTH_ANOTHER_TRY: ReadonlySet<number> = new Set([408, 425, 429]);

interface SendingContext {
  readonly transport: Transport;
  readonly platform: Pick<Platform, 'now'>;
  readonly readResponse?: DestinationFormat['readResponse'];
  /** Statuses that count as success besides 2xx. */
  readonly statuses?: readonly number[] | undefined;
  /** Ends the attempt at once. */
  readonly signal: AbortSignal;
}

/** Sends one request of a destination, once. A redirect is not followed and counts as refusal. Never rejects. */
export async function sendRequest(request: DestinationRequest, context: SendingContext): Promise<DeliveryOutcome> {
  const finished = new AbortController();
  try {
    const { status, headers, body } = await context.transport.send({
      ...request,
      headers: { 'user-agent': 'model-gateway', ...request.headers },
      signal: AbortSignal.any([context.signal, finished.signal]),
      headersTimeoutMs: ATTEMPT_TIMEOUT_MS,
      idleTimeoutMs: ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: ATTEMPT_TIMEOUT_MS,
    });
    const isTaken = (status >= 200 && status < 300) || context.statuses?.includes(status) === true;
    if (!isTaken) {
      const retryAfterSeconds = readRetryAfterSeconds(headers, context.platform.now());
      const isFinal = status < 500 && !WORTH_ANOTHER_TRY.has(status);
      return { isDelivered: false, result: `HTTP ${status}`, isFinal, retryAfterSeconds };
    }
    const problem = context.readResponse?.(await readShort(body));
    return problem === undefined ? { isDelivered: true, result: `HTTP ${status}` } : { isDelivered: false, ...problem };
  } catch (error) {
    return { isDelivered: false, result: describeFailure(error), isFinal: false };
  } finally {
    // The rest of the response is not used; this closes the connection.
    finished.abort();
  }
}

/** Reads the beginning of a response; a longer body is cut off. */
async function readShort(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= MAX_RESPONSE_BYTES) break;
  }
  return text;
}

function describeFailure(error: unknown): string {
  if (!(error instanceof TransportError)) return 'failed';
  return error.timedOut ? 'timed out' : error.message;
}

interface TraceLoaderOptions {
  readonly store: Pick<Store, 'generations' | 'keys'>;
  readonly platform: Platform;
  readonly bootstrapKeys: readonly BootstrapKey[];
  readonly cacheExaminer?: Pick<CacheExaminer, 'examine'> | null | undefined;
}

/** Reads a generation for a destination; undefined when it was deleted, is not in the sample, or fails the rules. */
type LoadTrace = (generationId: string) => Promise<BroadcastTrace | undefined>;

/** Creates a reader that loads generations from the store and adds the given facts about them. */
export function createTraceLoader({
  store,
  platform,
  bootstrapKeys,
  cacheExaminer,
}: TraceLoaderOptions): (destination: Destination) => Promise<LoadTrace> {
  const findKeyNames = createFindKeyNames(bootstrapKeys, { platform, store });
  return async (destination) => {
    const { filter_rules: rules } = destination;
    const matches = rules === null ? undefined : await compileFilterRules(rules);
    return async (id) => {
      const record = await store.generations.get(id);
      if (record === undefined || !(await isSampled(destination, record, platform))) return undefined;
      const stored = await store.generations.getContent(id);
      const content = stored && toPublicContent(stored);
      const { [record.principalId]: apiKeyName = null } = await findKeyNames(new Set([record.principalId]));
      const cache = (await cacheExaminer?.examine(record).catch(() => null)) ?? null;
      const trace = await toBroadcastTrace({ record, content, apiKeyName, cache }, platform);
      return matches?.(trace) === false ? undefined : forDestination(trace, destination);
    };
  };
}
