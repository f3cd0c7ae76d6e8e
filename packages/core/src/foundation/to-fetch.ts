import { toReadableStream, type Transport, type TransportRequest } from './transport.ts';

/** Limits of every request of a `fetch`, in milliseconds, as in `CallTimeouts`. Default: none but those of the transport. */
export interface FetchLimits {
  readonly headersMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly totalMs?: number | undefined;
}

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
] satisfies TransportRequest['method'][]);
/** Statuses of responses that have no body, as the fetch standard has them. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
/** About the longest that a timer runs. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * A `fetch` that sends its requests by a transport, for packages of others: addresses that the transport refuses, its
 * limits, and recordings hold for them, too. Redirects are not followed: their response is returned. Rejects with the
 * error of the transport itself, and with the reason of a signal. The body of a request is read before it is sent.
 */
export function toFetch(transport: Transport, limits: FetchLimits = {}): typeof globalThis.fetch {
  const { headersMs = NO_LIMIT_MS, idleMs = NO_LIMIT_MS, totalMs = NO_LIMIT_MS } = limits;
  return async (input, init) => {
    const request = new Request(input, init);
    const { url, headers, signal } = request;
    const method = request.method as TransportRequest['method'];
    if (!METHODS.has(method)) throw new TypeError(`A transport has no method ${method}`);
    const left = new AbortController();
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const response = await transport.send({
      method,
      url,
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body }),
      signal: AbortSignal.any([signal, left.signal]),
      headersTimeoutMs: headersMs,
      idleTimeoutMs: idleMs,
      totalTimeoutMs: totalMs,
    });
    const { status } = response;
    const pieces = endingBy(response.body, () => left.abort(new DOMException('The response was left', 'AbortError')));
    const isBodiless = BODILESS.has(status) || method === 'HEAD';
    if (isBodiless) await pieces[Symbol.asyncIterator]().return?.();
    return new Response(isBodiless ? null : toReadableStream(pieces, { highWaterMark: 0 }), {
      status,
      headers: response.headers,
    });
  };
}

/** The same pieces. Where their reader leaves while a piece is on its way, which a body may wait for, `leave` ends it. */
function endingBy(body: AsyncIterable<Uint8Array>, leave: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      let isReading = false;
      return {
        async next() {
          isReading = true;
          try {
            return await pieces.next();
          } finally {
            isReading = false;
          }
        },
        async return() {
          if (isReading) leave();
          await pieces.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
