/** How far an upstream call got before it failed; decides whether it may be tried again and what the caller is told. */
export type TransportPhase = 'dns' | 'connect' | 'tls' | 'headers' | 'body';

/** An upstream call failed below HTTP: no address, no connection, a reset, a time limit, a body cut short. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly phase: TransportPhase;
  /** False only when upstream certainly saw no byte of the request. */
  readonly requestSent: boolean;
  /** A limit of ours ran out, as opposed to upstream breaking. */
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
   * A body in pieces is given by a function, which is called for each sending: a connection that dies unused is tried
   * once more from the beginning. What the pieces throw is what `send` rejects with.
   */
  readonly body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>) | undefined;
  /** Aborting closes the connection at once, in every phase. */
  readonly signal: AbortSignal;
  /** Limit from the request being sent to the headers of the response; each piece of a body in pieces starts it again. */
  readonly headersTimeoutMs: number;
  /** Limit between two pieces of the answer's body. */
  readonly idleTimeoutMs: number;
  /** Limit on the whole exchange. */
  readonly totalTimeoutMs: number;
  /** Largest decoded answer. Default: the transport's own limit. */
  readonly maxBodyBytes?: number | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; a repeated header is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The decoded bytes; all that has arrived by then comes as one piece. Consumed once. Ends normally only when the
   * message was complete; otherwise rejects with `TransportError` of phase `body`. Leaving it early through `return()`
   * gives the connection back when upstream ends the message promptly, and closes it otherwise.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** An answer that has come to its end. */
export interface WholeResponse extends Pick<TransportResponse, 'status' | 'headers'> {
  /** All of the decoded body. */
  readonly bytes: Uint8Array;
}

/**
 * Sends one request to an upstream. Never follows redirects. Rejects with `TransportError`, or with the signal's
 * reason when it was aborted.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** The same for whoever wants the answer in one piece, for less. Where it is absent, `send` is read to its end. */
  sendWhole?(request: TransportRequest): Promise<WholeResponse>;
}
