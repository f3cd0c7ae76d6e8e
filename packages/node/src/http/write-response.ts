import type { ServerResponse } from 'node:http';

import type { Deadline, GatewayResponse, TimerWheel } from '@model-gateway/core';

export interface WriteOptions {
  /** Carries the limit on a client that does not read. */
  readonly wheel: TimerWheel;
  /** How long a client may leave data unread before its connection is closed. */
  readonly clientWriteTimeoutMs: number;
  /** Headers that the host adds to every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Writes the core's answer to Node's response and ends it. Resolves when everything has been handed to the connection
 * or the client has gone; never reads ahead of a slow client by more than Node's own buffer.
 */
export async function writeResponse(
  response: ServerResponse,
  answer: GatewayResponse,
  options: WriteOptions,
): Promise<void> {
  const { body } = answer;
  const headers: Record<string, string | number> = { ...answer.headers, ...options.headers };
  // Somebody else has answered, or nobody is left to: what the core has begun must be ended all the same.
  if (response.destroyed || response.headersSent) {
    if (isStream(body)) await body[Symbol.asyncIterator]().return?.();
    return;
  }
  if (isStream(body)) {
    response.writeHead(answer.status, headers);
    await writeStream(response, body, options);
    return;
  }
  if (body !== null) headers['content-length'] = Buffer.byteLength(body);
  response.writeHead(answer.status, headers);
  // A text leaves in one system call with its headers, bytes in another of their own.
  response.end(body ?? undefined);
}

const isStream = (body: GatewayResponse['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function writeStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  { wheel, clientWriteTimeoutMs }: WriteOptions,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  // Destroying the connection closes the response, and that ends the wait for it to drain.
  const stalled = wheel.add(() => response.destroy());
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || response.destroyed) break;
      if (!response.write(value)) await drained(response, stalled, clientWriteTimeoutMs);
      // `compression()` and the like keep what they are given until they are told that it matters now.
      (response as { flush?: () => void }).flush?.();
    }
  } finally {
    stalled.clear();
    if (response.destroyed) await iterator.return?.();
    else response.end();
  }
}

/** Resolves when the client has read on, or has gone. */
function drained(response: ServerResponse, stalled: Deadline, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stalled.clear();
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
    stalled.set(limitMs);
  });
}
