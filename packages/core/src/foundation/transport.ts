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
   * The decoded bytes, consumed once; short pieces that have arrived by a read come as one. Ends normally only after a
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

/** Reads all pieces and joins them. */
export async function readPieces(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return joinPieces(await collectPieces(pieces));
}

/** Reads all pieces. */
export async function collectPieces(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

/** Joins pieces into one; a single one is not copied. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

interface StreamOptions {
  /** Runs once all of it is over. */
  readonly onEnd?: (() => void) | undefined;
  /** Number of pieces that are taken before they are asked for. Default: 1, as streams have it. */
  readonly highWaterMark?: number;
}

/** A web stream that takes a piece only when asked, and calls `return()` when its reader leaves. */
export function toReadableStream(
  pieces: AsyncIterable<Uint8Array>,
  { onEnd = () => undefined, highWaterMark = 1 }: StreamOptions = {},
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      let isOver = true;
      try {
        const { done, value } = await iterator.next();
        isOver = done === true;
        if (done === true) controller.close();
        else controller.enqueue(value);
      } finally {
        if (isOver) onEnd();
      }
    },
    async cancel() {
      try {
        await iterator.return?.();
      } finally {
        onEnd();
      }
    },
  };
  return new ReadableStream(source, { highWaterMark });
}

/** Yields the same pieces. `onPiece` runs for each piece, `onError` with the error that ends them early. */
export async function* watchPieces(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: () => void,
  onError: (error: Error) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of pieces) {
      onPiece();
      yield piece;
    }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    onError(error);
    throw error;
  }
}

/** A wait beyond an hour is no help to a caller and a hazard to a scheduler. */
export const MAX_RETRY_AFTER_SECONDS = 3600;

/**
 * Reads `Retry-After`: whole seconds or an HTTP date. Invalid values and the past count as absent; the far future is
 * cut to an hour. `retry-after-ms`, which some providers send beside it, is more exact and takes precedence. A date
 * counts from the sender's own time in `date`; `nowMs` is for a sender without one.
 */
export function readRetryAfterSeconds(
  headers: Readonly<Record<string, string>>,
  nowMs = Number.NaN,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] || Number.NaN);
  const text = headers['retry-after'] ?? '';
  const seconds = Number.isFinite(milliseconds)
    ? milliseconds / 1000
    : /^\d+$/.test(text)
      ? Number(text)
      : (Date.parse(text) - (Date.parse(headers['date'] ?? '') || nowMs)) / 1000;
  return seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}

/** Waits for the whole response in the transport's cheapest way, and throws its errors (docs/decisions/0016). */
export function sendWhole(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  return transport.sendWhole?.(request) ?? sendAndRead(transport, request);
}

async function sendAndRead(transport: Transport, request: TransportRequest): Promise<WholeResponse> {
  const { status, headers, body } = await transport.send(request);
  return { status, headers, bytes: status === 200 ? await readBytes(body) : await readErrorBytes(body) };
}

const utf8 = new TextDecoder();
/** No error body worth reading is longer; a proxy's page may be. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Reads a body to its end as UTF-8. Above `maxBytes` it stops and returns the text so far, which is enough for error
 * pages; the transport limits whole responses.
 */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes?: number): Promise<string> {
  return toText(await readBytes(body, maxBytes));
}

/** Reads the body of an error up to a limit; empty when it broke off. */
export async function readErrorText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return toText(await readErrorBytes(body));
}

function readErrorBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return readBytes(body, MAX_ERROR_BYTES).catch(() => new Uint8Array());
}

/** UTF-8 as text. One decoder for all is cheaper than one for each. */
export function toText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}

/** The same as `readText`, in bytes. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const bytes of body) {
    total += bytes.byteLength;
    pieces.push(bytes);
    if (total > maxBytes) break;
  }
  return joinPieces(pieces);
}
