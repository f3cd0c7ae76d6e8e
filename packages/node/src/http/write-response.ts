import type { ServerResponse } from 'node:http';

import type { GatewayResponse, TimerWheel } from '@model-gateway/core';

import { hostWheel } from './host-wheel.ts';

export interface WriteOptions {
  /** Carries the limit on a client that does not read. Default: one that all hosts in the process share. */
  readonly wheel?: TimerWheel | undefined;
  /** How long a client may leave data unread before its connection is closed. */
  readonly clientWriteTimeoutMs: number;
  /** Headers that the host adds to every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Above this an answer in one piece is written as a stream, so that a client is only cut off when nothing moves. */
const SLICE_BYTES = 256 * 1024;

/**
 * Writes the core's answer to Node's response and ends it. Resolves, or returns without a promise, when the connection
 * has taken everything or the client has gone; never reads ahead of a slow client by more than Node's own buffer.
 */
export function writeResponse(
  response: ServerResponse,
  answer: GatewayResponse,
  options: WriteOptions,
): Promise<void> | undefined {
  const { body } = answer;
  if (typeof body !== 'string' || body.length > SLICE_BYTES || response.destroyed || response.headersSent) {
    return writeOther(response, answer, options);
  }
  response.writeHead(answer.status, {
    ...answer.headers,
    ...options.headers,
    'content-length': Buffer.byteLength(body),
  });
  // A text leaves in one system call with its headers, bytes in another of their own.
  response.end(body);
  return untilSent(response, options);
}

/** Anything but a short text for somebody who is there. */
async function writeOther(response: ServerResponse, answer: GatewayResponse, options: WriteOptions): Promise<void> {
  const { body } = answer;
  const headers: Record<string, string | number> = { ...answer.headers, ...options.headers };
  // Somebody else has answered, or nobody is left to: what the core has begun must be ended all the same.
  if (response.destroyed || response.headersSent) {
    if (isStream(body)) await body[Symbol.asyncIterator]().return?.();
    return;
  }
  if (isStream(body)) {
    response.writeHead(answer.status, headers);
    return writeStream(response, body, options);
  }
  if (body !== null) headers['content-length'] = Buffer.byteLength(body);
  response.writeHead(answer.status, headers);
  if (body !== null && body.length > SLICE_BYTES) return writeStream(response, slice(Buffer.from(body)), options);
  response.end(body ?? undefined);
  await untilSent(response, options);
}

async function* slice(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}

const isStream = (body: GatewayResponse['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function writeStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || response.destroyed) break;
      if (!response.write(value)) await untilRead(response, 'drain', options);
      // `compression()` and the like keep what they are given until they are told that it matters now.
      (response as { flush?: () => void }).flush?.();
    }
  } catch (error) {
    // Ended in good order, what is half of a file would pass for the whole.
    response.destroy();
    throw error;
  } finally {
    if (response.destroyed) await iterator.return?.();
    else {
      response.end();
      await untilSent(response, options);
    }
  }
}

/** Resolves when an answer that has been ended has left whole. Nearly always it has already: then there is no promise. */
function untilSent(response: ServerResponse, options: WriteOptions): Promise<void> | undefined {
  return (response.socket?.writableLength ?? 0) > 0 ? untilRead(response, 'finish', options) : undefined;
}

/** Resolves when the client has read on, or has gone. One that reads nothing for too long is cut off. */
function untilRead(
  response: ServerResponse,
  event: 'drain' | 'finish',
  { wheel = hostWheel, clientWriteTimeoutMs }: WriteOptions,
): Promise<void> {
  return new Promise((resolve) => {
    // Destroying the connection closes the response, and that ends the wait.
    const stalled = wheel.add(() => response.destroy());
    const done = (): void => {
      stalled.clear();
      response.off(event, done);
      response.off('close', done);
      resolve();
    };
    response.once(event, done);
    response.once('close', done);
    stalled.set(clientWriteTimeoutMs);
  });
}
