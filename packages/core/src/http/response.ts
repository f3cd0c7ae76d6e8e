import { type GatewayError, toErrorBody } from '../foundation/errors.ts';

/**
 * A host that stops reading an iterable body must call its iterator's `return()`, after aborting the request's signal
 * when the client has disconnected.
 */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null;
}

/** For every response, also those that a host makes itself: browsers must not take a text for a page. */
export const NO_SNIFFING: Readonly<Record<string, string>> = { 'x-content-type-options': 'nosniff' };

interface JsonResponse extends GatewayResponse {
  readonly body: string;
}

export function toJsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): JsonResponse {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Creates the JSON response for an error, with `Retry-After` where the delay is known. */
export function toErrorResponse(error: GatewayError, headers: Record<string, string> = {}): JsonResponse {
  const retryAfter = error.retryAfterSeconds;
  return toJsonResponse(
    error.status,
    { ...error.beside, error: toErrorBody(error) },
    { ...NO_SNIFFING, ...headers, ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter)) }) },
  );
}
