import { GatewayError, type Transport, TransportError } from '@model-gateway/core';
import {
  type FetchLimits,
  isErrorStatus,
  isRecord,
  parseJson,
  readRetryAfterSeconds,
  toFetch,
  toUpstreamError,
} from '@model-gateway/core/providers/kit';

/** What a request of one call needs to know; the packages pass on nothing of a call but its signal. */
export interface RequestFacts {
  readonly limits: FetchLimits;
  /** Receives the parsed body of each request. */
  readonly onBody?: ((body: unknown) => void) | undefined;
  /** Called for each piece of a response. */
  readonly onPiece?: (() => void) | undefined;
}

/** The `fetch` that a package is given. */
export interface SdkFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Says how requests with this signal are sent. */
  follow(signal: AbortSignal, facts: RequestFacts): void;
}

export interface SdkTransports {
  readonly transport: Transport;
  /** For addresses that upstream names, of a finished picture for one. Default: `transport`. */
  readonly downloads?: Transport | undefined;
}

/** Headers that say nothing about who asks. */
const COMMON_HEADERS: ReadonlySet<string> = new Set(['accept', 'content-type', 'user-agent']);

/** A request for an address that upstream has named, which no package gives its credentials. */
const isDownload = (method: string, headers: Headers): boolean =>
  method === 'GET' && [...headers.keys()].every((name) => COMMON_HEADERS.has(name));

/** Creates a `fetch` over the transports of the gateway, so that its limits, guards and recordings hold. */
export function createSdkFetch({ transport, downloads = transport }: SdkTransports): SdkFetch {
  const followed = new WeakMap<AbortSignal, RequestFacts>();
  return {
    follow: (signal, facts) => void followed.set(signal, facts),
    fetch: async (input, init) => {
      const facts = init?.signal == null ? undefined : followed.get(init.signal);
      const { body, method = 'GET' } = init ?? {};
      if (typeof body === 'string') facts?.onBody?.(parseJson(body));
      const way = isDownload(method, new Headers(init?.headers)) ? downloads : transport;
      return toFetch(withPieces(way, facts?.onPiece), facts?.limits)(input, init);
    },
  };
}

/** The same transport, which tells of each piece that comes. */
function withPieces(transport: Transport, onPiece: (() => void) | undefined): Transport {
  if (onPiece === undefined) return transport;
  return {
    async send(request) {
      const response = await transport.send(request);
      return { ...response, body: tellPieces(response.body, onPiece) };
    },
  };
}

async function* tellPieces(body: AsyncIterable<Uint8Array>, onPiece: () => void): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    onPiece();
    yield piece;
  }
}

/** Whose call it is, for errors. */
export interface SdkCaller {
  /** Display name of the provider. */
  readonly name: string;
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
}

/** Errors by which a package says that it cannot send what it was asked to. Their words are about the request. */
const CALLERS_MISTAKES: ReadonlySet<string> = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
]);
const MISSING_KEYS: ReadonlySet<string> = new Set(['AI_LoadAPIKeyError', 'AI_LoadSettingError']);

/**
 * Awaits what a package does. Its errors become the gateway's: with the status, the wait and the words of upstream, and
 * without secrets. What ended by the call's own signal fails with its reason.
 */
export async function callSdk<Result>(
  { name, secrets }: SdkCaller,
  signal: AbortSignal,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    throw signal.aborted ? signal.reason : toGatewayError(error, { name, secrets });
  }
}

/** The gateway's error for what a package has thrown, or has put into a stream. */
export function toGatewayError(error: unknown, { name: providerName, secrets }: SdkCaller): unknown {
  if (error instanceof GatewayError) return error;
  // The packages wrap what their `fetch` has thrown.
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TransportError || cause instanceof GatewayError) return cause;
  }
  const facts = isRecord(error) ? error : {};
  const kind = typeof facts['name'] === 'string' ? facts['name'] : '';
  const said = typeof error === 'string' ? error : facts['message'];
  const message = typeof said === 'string' && said !== '' ? said : undefined;
  if (kind === 'AI_APICallError') return toRefusal(facts, { providerName, secrets, message });
  if (CALLERS_MISTAKES.has(kind)) return toUpstreamError({ providerName, secrets, status: 400, message });
  if (kind === 'AI_NoSuchModelError') return toUpstreamError({ providerName, secrets, status: 404, message });
  if (MISSING_KEYS.has(kind)) {
    // The variable that is named is the operator's affair.
    return new GatewayError('provider_unavailable', `${providerName} has no key; the operator must set it`, {
      cause: error,
      metadata: { provider_name: providerName },
    });
  }
  if (kind.startsWith('AI_')) {
    const text = `${providerName} returned a response that its package cannot read`;
    return new GatewayError('provider_unavailable', text, {
      cause: error,
      metadata: { provider_name: providerName },
    });
  }
  // What stands in a stream: an error in upstream's own form, which may name a status.
  const code = facts['code'] ?? facts['type'];
  return toUpstreamError({
    providerName,
    secrets,
    status: isErrorStatus(facts['status']) ? facts['status'] : isErrorStatus(code) ? code : null,
    message,
    ...(typeof code === 'string' && { providerCode: code }),
    body: error instanceof Error ? undefined : error,
  });
}

/** An HTTP response that upstream refused a request with, or the lack of one. */
function toRefusal(
  { statusCode, responseHeaders, responseBody, isRetryable, data }: Readonly<Record<string, unknown>>,
  said: { readonly providerName: string; readonly secrets: readonly string[]; readonly message: string | undefined },
): GatewayError {
  const headers = isRecord(responseHeaders) ? (responseHeaders as Readonly<Record<string, string>>) : {};
  const status = typeof statusCode === 'number' ? statusCode : null;
  const inner = isRecord(data) && isRecord(data['error']) ? data['error'] : {};
  const code = inner['code'] ?? inner['type'];
  const error = toUpstreamError({
    ...said,
    // A good status is that of a response which could not be read.
    status: isErrorStatus(status) ? status : null,
    ...(typeof code === 'string' && { providerCode: code }),
    retryAfterSeconds: readRetryAfterSeconds(headers),
    body: typeof responseBody === 'string' ? responseBody : undefined,
  });
  // The package knows that the same request may succeed, so that it is no mistake of its caller.
  const isMistake = error.status >= 400 && error.status < 500 && ![404, 408, 429].includes(error.status);
  if (isRetryable !== true || !isMistake) return error;
  return new GatewayError('provider_unavailable', `${said.providerName} returned an error (HTTP ${status ?? 0})`, {
    metadata: error.metadata,
    retryAfterSeconds: error.retryAfterSeconds,
    upstreamStatus: error.upstreamStatus,
  });
}
