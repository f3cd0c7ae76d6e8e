import type { ServerResponse } from 'node:http';

import { createTimerWheel, type GatewayResponse, type TimerWheel } from '@model-gateway/core';

import { createNodePlatform } from '../node-platform.ts';

export interface WriteOptions {
  /** Carries the limit on a client that does not read. Default: one wheel that all hosts in the process share. */
  readonly wheel?: TimerWheel | undefined;
  /** How long a client may leave data unread before its connection is closed. */
  readonly clientWriteTimeoutMs: number;
  /** Headers that the host adds to every response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Above this size a body is written as a stream: only a client that takes no data at all is disconnected. */
const SLICE_BYTES = 256 * 1024;

/**
 * Writes the core's response to Node's and ends it. Resolves, or returns no promise, when all is sent or the client has
 * gone; reads ahead of a slow client by no more than Node's own buffer.
 */
export function writeResponse(
  response: ServerResponse,
  coreResponse: GatewayResponse,
  options: WriteOptions,
): Promise<void> | undefined {
  const { body } = coreResponse;
  if (typeof body !== 'string' || body.length > SLICE_BYTES || response.destroyed || response.headersSent) {
    return writeOther(response, coreResponse, options);
  }
  response.writeHead(coreResponse.status, {
    ...coreResponse.headers,
    ...options.headers,
    'content-length': Buffer.byteLength(body),
  });
  // A text leaves in one system call together with its headers, bytes need another call of their own.
  response.end(body);
  return untilSent(response, options);
}

/** Writes every response except a short text for a connected client. */
async function writeOther(
  response: ServerResponse,
  coreResponse: GatewayResponse,
  options: WriteOptions,
): Promise<void> {
  const { body } = coreResponse;
  const headers: Record<string, string | number> = { ...coreResponse.headers, ...options.headers };
  // Other code has responded, or the client has gone: in both cases the body that the core has begun must be ended.
  if (response.destroyed || response.headersSent) {
    if (isStream(body)) await body[Symbol.asyncIterator]().return?.();
    return;
  }
  if (isStream(body)) {
    response.writeHead(coreResponse.status, headers);
    return writeStream(response, body, options);
  }
  if (body !== null) headers['content-length'] = Buffer.byteLength(body);
  response.writeHead(coreResponse.status, headers);
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
  const reader = followReader(response, options);
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || reader.hasLeft()) break;
      if (!response.write(value)) await reader.untilDrained();
      // `compression()` and similar middleware keep the data until `flush` is called.
      (response as { flush?: () => void }).flush?.();
    }
  } catch (error) {
    // A response that ended normally here would let the client take half of a file for the whole.
    response.destroy();
    throw error;
  } finally {
    if (reader.hasLeft()) await iterator.return?.();
    else {
      response.end();
      await untilSent(response, options);
    }
  }
}

interface Reader {
  hasLeft(): boolean;
  /** Resolves when the client has read on or left. One that reads nothing for too long is disconnected. */
  untilDrained(): Promise<void>;
}

/**
 * Follows the client of a streamed response. Registers each listener once, because `compression()` moves listeners to
 * its own stream and they cannot be removed. Relies on the `close` event: an HTTP/2 response never becomes `destroyed`.
 */
function followReader(response: ServerResponse, { wheel = hostWheel, clientWriteTimeoutMs }: WriteOptions): Reader {
  let isClosed = response.destroyed;
  let isHeard = false;
  let resume = (): void => undefined;
  response.once('close', () => {
    isClosed = true;
    resume();
  });
  const stalled = wheel.add(() => {
    response.destroy();
    resume();
  });
  return {
    hasLeft: () => isClosed || response.destroyed,
    untilDrained() {
      if (isClosed) return Promise.resolve();
      if (!isHeard) response.on('drain', () => resume());
      isHeard = true;
      return new Promise((resolve) => {
        resume = () => {
          stalled.clear();
          resolve();
        };
        stalled.set(clientWriteTimeoutMs);
      });
    },
  };
}

/**
 * Resolves when an ended response has been sent completely. It nearly always has been already: then there is no
 * promise.
 */
function untilSent(response: ServerResponse, options: WriteOptions): Promise<void> | undefined {
  return (response.socket?.writableLength ?? 0) > 0 ? untilFinished(response, options) : undefined;
}

/** Resolves when all is sent or the client has gone. One that reads nothing for too long is disconnected. */
function untilFinished(
  response: ServerResponse,
  { wheel = hostWheel, clientWriteTimeoutMs }: WriteOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stalled.clear();
      response.off('finish', done);
      response.off('close', done);
      resolve();
    };
    const stalled = wheel.add(() => {
      response.destroy();
      done();
    });
    response.once('finish', done);
    response.once('close', done);
    stalled.set(clientWriteTimeoutMs);
  });
}

/** The timer wheel for the time limits on clients, shared by all hosts in the process. */
export const hostWheel = createTimerWheel(createNodePlatform());
