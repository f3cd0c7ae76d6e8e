import type { Platform } from '../foundation/platform.ts';
import { readRetryAfterSeconds, type Transport, TransportError } from '../foundation/transport.ts';
import type { DeliveryOutcome } from '../webhooks/webhooks.ts';
import type { DestinationFormat, DestinationRequest } from './destination-format.ts';

const ATTEMPT_TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** With any other status below 500 the receiver refuses the request itself. */
const WORTH_ANOTHER_TRY: ReadonlySet<number> = new Set([408, 425, 429]);

export interface SendingContext {
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
    const objection = context.readResponse?.(await readShort(body));
    return objection === undefined
      ? { isDelivered: true, result: `HTTP ${status}` }
      : { isDelivered: false, ...objection };
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
