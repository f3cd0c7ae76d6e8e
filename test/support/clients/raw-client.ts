import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { onTestFinished } from 'vitest';

import { TEST_KEY } from '../gateways/test-gateway.ts';

/** One response, read from the bytes of a connection. */
export interface RawReply {
  readonly status: number;
  /** Status line and headers, as they came. */
  readonly head: string;
  /** Lower-case names; of a repeated header the last value. */
  readonly headers: Readonly<Record<string, string>>;
  /** Taken out of its chunks, where it came in some. */
  readonly body: string;
}

/** A client that sends whatever bytes it is told to. */
export interface RawClient {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): void;
  /** Everything received so far. */
  text(): string;
  /** Resolves with everything received so far once that holds this text. Rejects when the connection closes before. */
  readUntil(text: string): Promise<string>;
  /** Reads the next response. Rejects when the connection closes before it is complete. */
  readReply(): Promise<RawReply>;
  /** Resolves with everything received when the other side has ended or reset the connection. */
  readonly ended: Promise<string>;
}

/** Connects to loopback; the connection ends with the test. */
export async function connectRaw(port: number, options: { readonly allowHalfOpen?: boolean } = {}): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, ...options });
  // A reset is an end like any other here.
  socket.on('error', () => undefined);
  let pieces: Buffer[] = [];
  let isOver = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  socket.on('data', (piece) => {
    pieces.push(piece);
    wake();
  });
  const bytes = (): Buffer => {
    const all = Buffer.concat(pieces);
    pieces = [all];
    return all;
  };
  const ended = new Promise<string>((resolve) => {
    const end = (): void => {
      isOver = true;
      wake();
      resolve(bytes().toString());
    };
    socket.once('end', end);
    socket.once('close', end);
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');

  /** Resolves with the first result of `find`. */
  const waitFor = <Value>(find: () => Value | undefined, what: string): Promise<Value> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = find();
        if (found === undefined && !isOver) return;
        waiting.delete(check);
        if (found === undefined)
          reject(new Error(`the connection ended before ${what}; received: ${bytes().toString()}`));
        else resolve(found);
      };
      waiting.add(check);
      check();
    });

  return {
    socket,
    ended,
    write: (data) => void socket.write(data),
    text: () => bytes().toString(),
    readUntil: (text) => waitFor(() => (bytes().includes(text) ? bytes().toString() : undefined), JSON.stringify(text)),
    readReply: () =>
      waitFor(() => {
        const found = parseReply(bytes());
        if (found === undefined) return undefined;
        pieces = [bytes().subarray(found.length)];
        return found.reply;
      }, 'a response was complete'),
  };
}

/** The first response in these bytes and how long it is; undefined while it is incomplete. */
function parseReply(bytes: Buffer): { readonly reply: RawReply; readonly length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const status = Number(statusLine.split(' ')[1]);
  const from = end + 4;
  if (headers['transfer-encoding'] === 'chunked') {
    const body = parseChunks(bytes, from);
    return body && { reply: { status, head, headers, body: body.text }, length: body.end };
  }
  const to = from + Number(headers['content-length'] ?? 0);
  if (bytes.byteLength < to) return undefined;
  return { reply: { status, head, headers, body: bytes.toString('utf8', from, to) }, length: to };
}

function parseChunks(bytes: Buffer, from: number): { readonly text: string; readonly end: number } | undefined {
  const pieces: Buffer[] = [];
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.byteLength < next) return undefined;
    if (size === 0) return { text: Buffer.concat(pieces).toString(), end: next };
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** A request as bytes. Its length is said unless the headers say how it is sent. */
export function toRequestBytes(
  port: number,
  options: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): string {
  const { method = 'POST', path = '/api/v1/chat/completions', body = '' } = options;
  const headers: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${TEST_KEY}`,
    ...(body !== '' && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  if (body !== '' && headers['transfer-encoding'] === undefined)
    headers['content-length'] ??= String(Buffer.byteLength(body));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** The body of a chat request for the test model. */
export const toChatBody = (extra: object = {}): string =>
  JSON.stringify({
    model: 'test/model',
    messages: [{ role: 'user', content: 'Hello' }],
    provider: { sort: 'price' },
    ...extra,
  });
