import type { Principal } from './principal.ts';

/** Header names are lower-case; a header sent more than once is a list. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One HTTP request, in the plain shape the core speaks. Hosts build it; nothing in it is a framework's object.
 */
export interface GatewayRequest {
  readonly method: string;
  /** Raw and undecoded, relative to the mount: `/api/v1/models`. Never holds the query. */
  readonly path: string;
  /** Without the leading `?`. */
  readonly query: string;
  readonly headers: HeaderMap;
  /**
   * Resolves with the whole body. Rejects with `payload_too_large` above `limitBytes`, by default the host's own limit.
   * Either this or `openBody` is called, and at most once.
   */
  readBody(limitBytes?: number): Promise<Uint8Array>;
  /**
   * The body piece by piece, read from the client only as fast as the pieces are taken. Throws as `readBody` rejects,
   * `payload_too_large` as soon as the limit is passed.
   */
  openBody(limitBytes?: number): AsyncIterable<Uint8Array>;
  /** The body as the host parsed it already, where it did (`express.json()`); `readBody` is then not called. */
  readonly json?: unknown;
  /** Fires when the client has gone away. */
  readonly signal: AbortSignal;
  /**
   * Makes `signal` fire with this reason. A host that gives it fires its signal with a `client_closed_request` error,
   * and spares a call a signal of its own.
   */
  readonly abort?: ((reason: Error) => void) | undefined;
  /** The public address of the mount, without a trailing slash: `https://host/ai`. */
  readonly baseUrl: string;
  readonly remoteAddress?: string | undefined;
  /** Set when the host has its own authentication; the key in the headers is then not looked at. */
  readonly principal?: Principal | undefined;
}

/**
 * The first value of a header, given as `headers['name']`; undefined for none. Not given the name itself: in here it
 * would be another one every time, which makes the look-up several times as slow.
 */
export function firstValue(value: HeaderMap[string]): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
