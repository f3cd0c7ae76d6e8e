import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

/** One request that reached a raw upstream, and the connection for its response. */
export interface RawRequest {
  /** Which of the upstream's connections it came on, counted from 0. */
  readonly connection: number;
  readonly socket: Socket;
  /** Request line and headers, as they came. */
  readonly head: string;
  /** The body as text; it was read by its `content-length`. */
  readonly body: string;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
}

/** A server on loopback that reads requests and sends whatever bytes it is told to. */
export interface RawUpstream {
  readonly port: number;
  /** `http://127.0.0.1:41234/v1` */
  readonly baseUrl: string;
  /** All connections so far; a scan of them tells a request that was never sent from one that was. */
  readonly connections: readonly Socket[];
  readonly requests: readonly RawRequest[];
  /** Resolves with the next request that is complete. */
  nextRequest(): Promise<RawRequest>;
}

export type ServeRaw = (request: RawRequest, upstream: RawUpstream) => void;

export interface RawUpstreamOptions {
  /** Serve a request as soon as its head is there; its `body` is then empty. */
  readonly atHead?: boolean;
  /** Another server than one of `net`, e.g. one of `tls`. */
  readonly server?: Server;
}

/** Starts an upstream that ends with the test. Each request is handed to `serve` once. */
export async function startRawUpstream(serve: ServeRaw, options: RawUpstreamOptions = {}): Promise<RawUpstream> {
  const connections: Socket[] = [];
  const requests: RawRequest[] = [];
  const waiting: ((request: RawRequest) => void)[] = [];
  const server = options.server ?? createServer({ noDelay: true });

  const accept = (socket: Socket): void => {
    const connection = connections.length;
    connections.push(socket);
    // Many tests cause a reset; a test that waits for the end reads `closed`.
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    readRequests(socket, options.atHead === true, (head, body) => {
      const request: RawRequest = { connection, socket, head, body, closed };
      requests.push(request);
      for (const resolve of waiting.splice(0)) resolve(request);
      serve(request, upstream);
    });
  };
  server.on(options.server === undefined ? 'connection' : 'secureConnection', accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const socket of connections) socket.destroy();
    if (server.listening) await once(server, 'close');
  });

  const { port } = server.address() as AddressInfo;
  const upstream: RawUpstream = {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    connections,
    requests,
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
  };
  return upstream;
}

/** Cuts what a connection sends into requests. */
function readRequests(socket: Socket, atHead: boolean, onRequest: (head: string, body: string) => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Bytes that make the request under way complete, once its head is known. */
  let needed: { readonly head: string; readonly from: number; readonly to: number } | undefined;
  socket.on('data', (piece) => {
    pieces.push(piece);
    size += piece.byteLength;
    for (;;) {
      if (needed === undefined) {
        const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
        pieces = [bytes];
        const end = bytes.indexOf('\r\n\r\n');
        if (end === -1) return;
        const head = bytes.toString('latin1', 0, end);
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        needed = { head, from: end + 4, to: end + 4 + length };
        if (atHead) onRequest(head, '');
      }
      if (size < needed.to) return;
      const bytes = Buffer.concat(pieces);
      const { head, from, to } = needed;
      needed = undefined;
      pieces = [bytes.subarray(to)];
      size -= to;
      if (!atHead) onRequest(head, bytes.toString('utf8', from, to));
    }
  });
}

/** Finds a port on loopback without a listener. */
export async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The head of a streamed response on the OpenAI wire, its body in HTTP chunks. */
export const STREAM_HEAD = toHead(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });

/** Status line and headers. */
export function toHead(status: number, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`;
}

/** A whole response with its length. Objects are sent as JSON. */
export function toRawResponse(
  status: number,
  body: string | object,
  headers: Readonly<Record<string, string | number>> = {},
): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  return toHead(status, { ...type, ...headers, 'content-length': Buffer.byteLength(text) }) + text;
}

/** One HTTP chunk. */
export function toHttpChunk(data: string | Uint8Array): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

export const LAST_HTTP_CHUNK = '0\r\n\r\n';

/** An event that adds this text to the response. */
export const toTextEvent = (content: string): string =>
  `data: ${JSON.stringify({ id: 'up-1', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

export const FINISH_EVENT = `data: ${JSON.stringify({ id: 'up-1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;

/** 12 prompt tokens, 8 completion tokens: 28 millionths of a dollar at the test model's prices. */
export const USAGE = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 };
export const USAGE_EVENT = `data: ${JSON.stringify({ id: 'up-1', choices: [], usage: USAGE })}\n\n`;
export const DONE_EVENT = 'data: [DONE]\n\n';

/** A whole stream that says these texts, one event each. */
export const toEvents = (...texts: readonly string[]): string =>
  texts.map(toTextEvent).join('') + FINISH_EVENT + USAGE_EVENT + DONE_EVENT;

/** A whole unstreamed response that says this text. */
export const toWhole = (content: string, extra: object = {}): object => ({
  id: 'up-1',
  model: 'up-model',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: USAGE,
  ...extra,
});

/** Responds to a request without a fault: streamed when it asks for that. */
export function respondWell({ socket, body }: Pick<RawRequest, 'socket' | 'body'>, text = 'Hello'): void {
  if (/"stream":true/.test(body)) {
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toEvents(text)));
    socket.write(LAST_HTTP_CHUNK);
  } else socket.write(toRawResponse(200, toWhole(text)));
}

/** Streams these bytes in one HTTP chunk each, a turn of the event loop apart, and ends the message. */
export async function sendStream(socket: Socket, pieces: readonly (string | Uint8Array)[]): Promise<void> {
  socket.write(STREAM_HEAD);
  for (const piece of pieces) {
    socket.write(toHttpChunk(piece));
    // Back-pressure on bytes is not the point here; that each piece is read by itself is.
    await new Promise(setImmediate);
  }
  socket.write(LAST_HTTP_CHUNK);
}
