import type { GatewayError } from '../../foundation/errors.ts';
import { readRetryAfterSeconds, type TransportResponse } from '../../foundation/transport.ts';
import type { Upstream } from './to-upstream.ts';
import { toUpstreamError, type UpstreamErrorFacts } from './upstream-error.ts';

/** Reads a wire's own form of a refusal: its body, and the status of the response. Never throws. */
export type ReadError = (text: string, status: number) => Omit<UpstreamErrorFacts, 'providerName' | 'secrets' | 'body'>;

/** Converts a refusal to an error. A wait in its headers takes precedence over one in its body. */
export function toRefusalError(
  { name, secrets }: Pick<Upstream, 'name' | 'secrets'>,
  readError: ReadError,
  { status, headers }: Pick<TransportResponse, 'status' | 'headers'>,
  text: string,
): GatewayError {
  const facts = readError(text, status);
  return toUpstreamError({
    ...facts,
    providerName: name,
    secrets,
    body: text,
    retryAfterSeconds: readRetryAfterSeconds(headers) ?? facts.retryAfterSeconds,
  });
}
