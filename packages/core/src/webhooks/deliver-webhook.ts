import type { Platform } from '../foundation/platform.ts';
import { readRetryAfterSeconds, TransportError } from '../foundation/transport.ts';
import { signWebhook, type WebhookMessage } from './sign-webhook.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** The result of one attempt. */
export type DeliveryOutcome =
  | { readonly isDelivered: true; readonly result: string }
  | {
      readonly isDelivered: false;
      /** A few words without addresses or anything that the receiver wrote. */
      readonly result: string;
      /** The receiver accepts no further attempt. */
      readonly isFinal: boolean;
      readonly retryAfterSeconds?: number | undefined;
    };

const ATTEMPT_TIMEOUT_MS = 15_000;
const GONE = 410;

/** Sends a message once. Only a response with status 2xx is a success; a redirect is not followed. Never rejects. */
export async function deliverWebhook(
  url: string,
  message: WebhookMessage,
  { signingSecrets = [], transport }: WebhookOptions,
  platform: Platform,
): Promise<DeliveryOutcome> {
  const finished = new AbortController();
  try {
    const { status, headers } = await transport.send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'model-gateway',
        'x-service-idempotency-key': message.id,
        'x-openrouter-idempotency-key': message.id,
        ...(await signWebhook(message, signingSecrets, platform)),
      },
      body: message.body,
      signal: finished.signal,
      headersTimeoutMs: ATTEMPT_TIMEOUT_MS,
      idleTimeoutMs: ATTEMPT_TIMEOUT_MS,
      totalTimeoutMs: ATTEMPT_TIMEOUT_MS,
    });
    if (status >= 200 && status < 300) return { isDelivered: true, result: `HTTP ${status}` };
    const retryAfterSeconds = readRetryAfterSeconds(headers, platform.now());
    return { isDelivered: false, result: `HTTP ${status}`, isFinal: status === GONE, retryAfterSeconds };
  } catch (error) {
    return { isDelivered: false, result: describeFailure(error), isFinal: false };
  } finally {
    // The body of the response is not used; this closes the connection.
    finished.abort();
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof TransportError)) return 'failed';
  return error.timedOut ? 'timed out' : error.message;
}
