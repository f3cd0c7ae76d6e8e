/** The phase in which an upstream call failed: decides whether it may be repeated and which error is sent. */
export type TransportPhase = 'dns' | 'connect' | 'tls' | 'headers' | 'body';

/** An upstream call failed below HTTP: no address, no connection, a reset, a time limit, a body cut short. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly phase: TransportPhase;
  /** False only when the upstream certainly received no byte of the request. */
  readonly requestSent: boolean;
  /** True when a limit of the gateway ran out, false when the upstream broke off. */
  readonly timedOut: boolean;
  readonly remoteAddress: string | undefined;

  constructor(
    message: string,
    options: {
      readonly phase: TransportPhase;
      readonly requestSent: boolean;
      readonly timedOut?: boolean | undefined;
      readonly remoteAddress?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.phase = options.phase;
    this.requestSent = options.requestSent;
    this.timedOut = options.timedOut ?? false;
    this.remoteAddress = options.remoteAddress;
  }
}

export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A body in pieces is a function, called for each sending: where a kept connection fails before it is used, the
   * request is sent again. `send` rejects with an error of the pieces.
   */
  readonly body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>) | undefined;
  /** Aborting closes the connection at once, in every phase. */
  readonly signal: AbortSignal;
  /** Limit from sending the request to the headers of the response; each piece of a body in pieces starts it again. */
  readonly headersTimeoutMs: number;
  /** Limit between two pieces of the response body. */
  readonly idleTimeoutMs: number;
  /** Limit on the whole exchange. */
  readonly totalTimeoutMs: number;
  /** Largest decoded response body. Default: the transport's own limit. */
  readonly maxBodyBytes?: number | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The decoded bytes, consumed once; all that have arrived by a read come as one piece. Ends normally only after a
   * complete message; otherwise rejects with `TransportError` of phase `body`. Leaving early through `return()` makes
   * the connection reusable when the upstream ends the message promptly, and closes it otherwise.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A response that has arrived completely. */
export interface WholeResponse extends Pick<TransportResponse, 'status' | 'headers'> {
  /** The whole decoded body. */
  readonly bytes: Uint8Array;
}

/**
 * Sends one request to an upstream. Never follows redirects. Rejects with `TransportError`, or with the signal's
 * reason when it was aborted.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Like `send`, in one piece at a lower cost. Where it is absent, callers use `send` and read to the end. */
  sendWhole?(request: TransportRequest): Promise<WholeResponse>;
}
