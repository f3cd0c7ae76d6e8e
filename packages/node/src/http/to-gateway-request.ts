import type { IncomingMessage, ServerResponse } from 'node:http';

import { GatewayError, type GatewayRequest } from '@model-gateway/core';

import { atEndOfTurn } from '../node-timers.ts';

export interface NodeRequestOptions {
  /** Largest body in bytes. */
  readonly bodyLimitBytes: number;
  /** Where large bodies are counted that are held whole: all but forms, whose files are passed on. Default: nowhere. */
  readonly bodyMemory?: BodyMemory | undefined;
  /** Whether the client waits for permission to send its body (`Expect: 100-continue`) and has not received it yet. */
  readonly awaitsContinue?: boolean | undefined;
  /** Path and query as seen from the mount. Default: those of Node's request. */
  readonly url?: string | undefined;
  /** Where the gateway is mounted, without a trailing slash; empty at the root. */
  readonly mountPath?: string | undefined;
  /** Public origin, without a trailing slash: `https://host`. */
  readonly originOf: (request: IncomingMessage) => string;
  /** The body, where an earlier handler has parsed it. */
  readonly json?: unknown;
  readonly remoteAddress?: string | undefined;
  readonly principal?: GatewayRequest['principal'];
  readonly authenticate?: GatewayRequest['authenticate'];
}

/** The memory that large bodies of all requests at one listener may take together. */
export interface BodyMemory {
  /** Counts this length of a body until its response has ended; false where there is no room for it. */
  hold(response: ServerResponse, bytes: number): boolean;
}

/** Smaller bodies are not counted: those of hundreds of long conversations at once are the usual load. */
const COUNTED_FROM_BYTES = 8 * 1024 * 1024;

/** A body always fits in where it is the only one, however large. */
export function createBodyMemory(maxBytes: number): BodyMemory {
  const heldBy = new Map<ServerResponse, number>();
  let total = 0;
  return {
    hold(response, bytes) {
      const held = heldBy.get(response) ?? 0;
      // After `close` a hold would never be released.
      if (bytes <= held || response.closed) return true;
      const isAlone = total === held;
      if (!isAlone && total - held + bytes > maxBytes) return false;
      if (held === 0) {
        response.once('close', () => {
          total -= heldBy.get(response) ?? 0;
          heldBy.delete(response);
        });
      }
      total += bytes - held;
      heldBy.set(response, bytes);
      return true;
    },
  };
}

/**
 * Builds the core's request from Node's. Its signal fires when the connection closes before the whole response was
 * sent; nothing has to be cleaned up (docs/decisions/0004).
 */
export function toGatewayRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions,
): GatewayRequest {
  const client = new AbortController();
  // An HTTP/2 stream that the client cancelled reports itself as finished, though `end` was never called.
  response.on('close', () => {
    if (!response.writableEnded || !response.writableFinished) client.abort(clientLeft());
  });
  // The client may have left while the host looked its caller up, for instance.
  if (response.closed) client.abort(clientLeft());
  const url = options.url ?? request.url ?? '/';
  const queryAt = url.indexOf('?');
  const mountPath = options.mountPath ?? '';
  const { bodyMemory } = options;
  const isCounted = bodyMemory !== undefined && request.headers['content-type']?.startsWith('multipart/') !== true;
  const hold = (bytes: number): boolean =>
    !isCounted || bytes <= COUNTED_FROM_BYTES || bodyMemory.hold(response, bytes);
  /** By the length that is announced; taken at once, because bodies that grow side by side would all be refused. */
  const findRefusal = (limitBytes: number): GatewayError | undefined => {
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > limitBytes) return tooLarge(limitBytes);
    return hold(length) ? undefined : noRoom();
  };
  return {
    // Set by the gateway. Named here, because an object that gets a member later costs more.
    id: undefined,
    method: request.method ?? 'GET',
    path: queryAt === -1 ? url : url.slice(0, queryAt),
    query: queryAt === -1 ? '' : url.slice(queryAt + 1),
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    readBody(limitBytes = options.bodyLimitBytes) {
      const refusal = findRefusal(limitBytes);
      if (refusal !== undefined) return Promise.reject(refusal);
      if (options.awaitsContinue === true) response.writeContinue();
      return readBody(request, limitBytes, hold);
    },
    async *openBody(limitBytes = options.bodyLimitBytes) {
      const refusal = findRefusal(limitBytes);
      if (refusal !== undefined) throw refusal;
      if (options.awaitsContinue === true) response.writeContinue();
      yield* openBody(request, limitBytes, hold);
    },
    json: options.json,
    signal: client.signal,
    abort: (reason) => client.abort(reason),
    // Not a getter: an accessor gives each such object a hidden class, which costs more to collect than the request.
    baseUrl: options.originOf(request) + mountPath,
    remoteAddress: options.remoteAddress,
    peerAddress: request.socket.remoteAddress,
    principal: options.principal,
    authenticate: options.authenticate,
  };
}

/** Counts a length of the body; false where there is no room. */
type Hold = (bytes: number) => boolean;

function readBody(request: IncomingMessage, limitBytes: number, hold: Hold): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    // The client may leave before the body is read: while the host looks the caller up, for instance.
    if (request.destroyed) return reject(clientLeft());
    const pieces: Buffer[] = [];
    let total = 0;
    request.on('data', (piece: Buffer) => {
      total += piece.byteLength;
      const hasRoom = hold(total);
      if (hasRoom && total <= limitBytes) return void pieces.push(piece);
      // Present and later bytes are discarded, so that the client can finish sending and read the response.
      pieces.length = 0;
      request.removeAllListeners('data');
      request.resume();
      reject(hasRoom ? tooLarge(limitBytes) : noRoom());
    });
    request.on('end', () => {
      const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      atEndOfTurn(() => resolve(body));
    });
    request.on('close', () => {
      if (!request.readableEnded) reject(clientLeft());
    });
  });
}

async function* openBody(request: IncomingMessage, limitBytes: number, hold: Hold): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    // The connection stays open for the response when the pieces are left early.
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      total += piece.byteLength;
      if (total > limitBytes) throw tooLarge(limitBytes);
      if (!hold(total)) throw noRoom();
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof GatewayError || request.readableEnded) throw cause;
    throw clientLeft(cause);
  } finally {
    // Bytes that still arrive are discarded, so that the client can finish sending and read the response.
    request.resume();
  }
}

const clientLeft = (cause?: unknown): GatewayError =>
  new GatewayError('client_closed_request', 'The client closed the request', { cause });

const tooLarge = (limitBytes: number): GatewayError =>
  new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);

const RETRY_AFTER_S = 2;

const noRoom = (): GatewayError =>
  new GatewayError(
    'provider_overloaded',
    `The large bodies of other requests take all the memory that there is for them; try again in ${RETRY_AFTER_S} s`,
    { retryAfterSeconds: RETRY_AFTER_S },
  );
