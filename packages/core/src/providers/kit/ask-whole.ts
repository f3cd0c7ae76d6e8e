import { sendWhole, toText, type TransportRequest } from '../../foundation/transport.ts';
import type { Upstream } from './to-upstream.ts';
import { type ReadError, toRefusalError } from './upstream-error.ts';

export interface WholeAsk extends Pick<TransportRequest, 'url' | 'body' | 'signal'> {
  /** Default: those of JSON. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Limit on the whole call. */
  readonly timeoutMs: number;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** The request, with the headers of the provider. */
export const toWholeRequest = (
  upstream: Upstream,
  { timeoutMs, headers = JSON_HEADERS, ...ask }: WholeAsk,
): TransportRequest => ({
  ...ask,
  method: 'POST',
  headers: { ...upstream.headers, ...headers },
  headersTimeoutMs: timeoutMs,
  idleTimeoutMs: timeoutMs,
  totalTimeoutMs: timeoutMs,
});

/**
 * Sends a request that has one response, and returns its text. Throws what upstream refuses it with, as `readError`
 * reads it, and the errors of the transport.
 */
export async function askWhole(upstream: Upstream, readError: ReadError, ask: WholeAsk): Promise<string> {
  const { status, bytes, ...head } = await sendWhole(upstream.transport, toWholeRequest(upstream, ask));
  const text = toText(bytes);
  if (status !== 200) throw toRefusalError(upstream, readError, { status, ...head }, text);
  return text;
}
