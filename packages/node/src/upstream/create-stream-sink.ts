import type { TransportResponse } from '@model-gateway/core';

import { createBodyQueue } from './body-queue.ts';
import { decodeBody } from './decode-body.ts';
import type { ResponseSink, UpstreamExchange } from './upstream-exchange.ts';

export interface StreamSinkOptions {
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
