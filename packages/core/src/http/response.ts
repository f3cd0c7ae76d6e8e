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

/**
 * What another server has made comes from the gateway's own origin: a browser that opens it as a page runs nothing of it,
 * as it would be of the web UI. Films and pictures still show, and are read with the cookie of their reader.
 */
export const SANDBOXED: Readonly<Record<string, string>> = {
  'content-security-policy':
    "sandbox allow-same-origin; default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'",
};

interface JsonResponse extends GatewayResponse {
  readonly body: string;
}

export function toJsonResponse(status: number, body: unknown, headers: Record<string, string> = {}): JsonResponse {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The errors of one format. */
export interface ErrorForm {
  /** Default: `application/json`. */
  readonly mediaType?: string | undefined;
  /** The response for an error. `generationId`: of the call that it ended, null before there is one. */
  toResponse(error: GatewayError, generationId: string | null): { readonly status: number; readonly body: object };
  /** JSON Schema of the body, for the OpenAPI document. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Creates the JSON response for an error, with `Retry-After` where the delay is known. */
export function toErrorResponse(
  error: GatewayError,
  headers: Record<string, string> = {},
  form?: ErrorForm,
): JsonResponse {
  const retryAfter = error.retryAfterSeconds;
  const { status, body } = form?.toResponse(error, headers['x-generation-id'] ?? null) ?? toOwnForm(error);
  const response = toJsonResponse(status, body, {
    ...NO_SNIFFING,
    ...headers,
    ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter)) }),
  });
  if (form?.mediaType !== undefined) response.headers['content-type'] = form.mediaType;
  return response;
}

const toOwnForm = (error: GatewayError): ReturnType<ErrorForm['toResponse']> => ({
  status: error.status,
  body: { ...error.beside, error: toErrorBody(error) },
});
