import { TransportError, type TransportResponse, type WholeResponse } from '@model-gateway/core';

import { atEndOfTurn } from '../node-timers.ts';
import { decodeBeginning, decodeBody, decodeWhole } from './decode-body.ts';
import type { ResponseSink, UpstreamExchange } from './upstream-exchange.ts';

interface StreamSinkOptions {
  /** Largest decoded response body. */
  readonly maxBytes: number;
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: Error) => void;
}

/** Creates a sink that passes on a response as soon as it has begun, and its body while it is read. */
export function createStreamSink({ maxBytes, resolve, reject }: StreamSinkOptions): ResponseSink {
  let exchange: UpstreamExchange | undefined;
  const body = createBodyQueue({
    maxBytes,
    onUnread: () => exchange?.setAwaited(false),
    onTaken: () => exchange?.setAwaited(true),
    onPause: () => exchange?.pause(),
    onResume: () => exchange?.resume(),
    onEnough: (reason) => exchange?.leave(reason),
    onTooMuch: (reason) => exchange?.giveUp(reason),
  });
  return {
    begin(begun, status, headers) {
      exchange = begun;
      resolve({ status, headers, body: decodeBody(body.iterable, headers['content-encoding'], maxBytes) });
    },
    push: (_, bytes) => body.push(bytes),
    end(error) {
      // This has no effect after the response has begun: its reader then gets the error.
      if (error !== undefined) reject(error);
      body.end(error);
    },
  };
}

/** Above this much unread data the sender is paused. */
const PAUSE_ABOVE_BYTES = 64 * 1024;

interface BodyQueueOptions {
  readonly maxBytes: number;
  /** Called when a piece has arrived before the reader asked for it: until `onTaken` the reader is the slow side. */
  onUnread(): void;
  /** Called when all queued pieces have been read. */
  onTaken(): void;
  onPause(): void;
  onResume(): void;
  /** Called when the reader leaves early. */
  onEnough(reason: Error): void;
  /** Called when more bytes have arrived than are allowed, or after the reader has left. */
  onTooMuch(reason: Error): void;
}

/** A queue that a socket fills and one reader empties. */
interface BodyQueue {
  push(bytes: Uint8Array): void;
  /** Ends the body; the reader gets an error after the queued pieces. Only the first call counts. */
  end(error: Error | undefined): void;
  readonly iterable: AsyncIterable<Uint8Array>;
}

/**
 * Turns pushed pieces into an async iterable with back-pressure. Pieces that arrive together are read together: one TCP
 * read brings many HTTP chunks, which the reader decodes, relays and writes at once (docs/decisions/0021).
 */
function createBodyQueue(options: BodyQueueOptions): BodyQueue {
  let pieces: Uint8Array[] = [];
  let queuedBytes = 0;
  let totalBytes = 0;
  let isPaused = false;
  let isEnded = false;
  let isAbandoned = false;
  let isFlushScheduled = false;
  let failure: Error | undefined;
  let waiting: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: Error) => void } | undefined;

  const take = (): Uint8Array => {
    const first = pieces[0] as Uint8Array;
    const bytes = pieces.length === 1 ? first : Buffer.concat(pieces);
    pieces = [];
    queuedBytes = 0;
    options.onTaken();
    if (isPaused) {
      isPaused = false;
      options.onResume();
    }
    return bytes;
  };

  const flush = (): void => {
    isFlushScheduled = false;
    if (waiting === undefined) return;
    const { resolve, reject } = waiting;
    if (pieces.length > 0) resolve({ done: false, value: take() });
    else if (failure !== undefined) reject(failure);
    else if (isEnded) resolve({ done: true, value: undefined });
    else return;
    waiting = undefined;
  };

  // At the end of the turn the whole TCP read has been parsed, including the bytes for other calls.
  const scheduleFlush = (): void => {
    if (isFlushScheduled || waiting === undefined) return;
    isFlushScheduled = true;
    atEndOfTurn(flush);
  };

  const end = (error: Error | undefined): void => {
    if (isEnded) return;
    isEnded = true;
    failure = error;
    scheduleFlush();
  };

  return {
    push(bytes) {
      if (isEnded) return;
      if (isAbandoned) return options.onTooMuch(new Error('data after the end of the response'));
      totalBytes += bytes.byteLength;
      if (totalBytes > options.maxBytes) {
        const error = new TransportError('the response is larger than allowed', { phase: 'body', requestSent: true });
        return options.onTooMuch(error);
      }
      if (pieces.length === 0 && waiting === undefined) options.onUnread();
      pieces.push(bytes);
      queuedBytes += bytes.byteLength;
      scheduleFlush();
      if (queuedBytes > PAUSE_ABOVE_BYTES && !isPaused) {
        isPaused = true;
        options.onPause();
      }
    },
    end,
    iterable: {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            flush();
          }),
        return: () => {
          isAbandoned = true;
          pieces = [];
          if (!isEnded) {
            options.onEnough(new Error('the reader wants no more'));
            if (isPaused) {
              isPaused = false;
              options.onResume();
            }
          }
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    },
  };
}

/** The most bytes that are read of an error, because no code uses more; a proxy's page may be longer. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Collects a response and passes it on, decoded, when it is complete. A class for the same reason as the exchange. */
export class WholeSink implements ResponseSink {
  private readonly maxBytes: number;
  private readonly resolve: (response: WholeResponse | Promise<WholeResponse>) => void;
  private readonly reject: (error: Error) => void;
  private status = 0;
  private headers: Record<string, string> = {};
  private readonly pieces: Uint8Array[] = [];
  private length = 0;

  constructor(
    maxBytes: number,
    resolve: (response: WholeResponse | Promise<WholeResponse>) => void,
    reject: (error: Error) => void,
  ) {
    this.maxBytes = maxBytes;
    this.resolve = resolve;
    this.reject = reject;
  }

  begin(_: UpstreamExchange, status: number, headers: Record<string, string>): void {
    this.status = status;
    this.headers = headers;
  }

  push(exchange: UpstreamExchange, bytes: Uint8Array): void {
    this.length += bytes.byteLength;
    const isError = this.status !== 200;
    if (this.length <= (isError ? MAX_ERROR_BYTES : this.maxBytes)) return void this.pieces.push(bytes);
    if (isError) this.end(undefined);
    exchange.giveUp(new TransportError('the response is larger than allowed', { phase: 'body', requestSent: true }));
  }

  end(error: Error | undefined): void {
    const { status, headers, pieces } = this;
    // An error response whose text was cut short keeps its status.
    if (error !== undefined && (status === 0 || status === 200)) return this.reject(error);
    const bytes = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
    const encoding = headers['content-encoding'];
    if (encoding === undefined) return atEndOfTurn(() => this.resolve({ status, headers, bytes }));
    const decoded =
      status === 200 ? decodeWhole(bytes, encoding, this.maxBytes) : decodeBeginning(bytes, encoding, MAX_ERROR_BYTES);
    this.resolve(decoded.then((whole) => ({ status, headers, bytes: whole })));
  }
}
