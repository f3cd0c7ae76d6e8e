import { type AddressInfo, createServer, type Socket } from 'node:net';

import { serveCalls } from '../processes/worker.ts';
import { SCRIPTS, textOfChunk, type UpstreamScript, usageOf, WHOLE_TEXT, WHOLE_TOKENS } from './upstream-script.ts';

/** Calls that the upstream's process serves. */
export type UpstreamCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
  /** Bytes written so far to the streams that are open now. */
  bytesInOpenStreams(): Promise<number>;
};

/** A script as the bytes of its response, all rendered beforehand. */
interface Rendered {
  readonly script: UpstreamScript;
  /** One for each burst, or one where all bursts are the same. */
  readonly bursts: readonly Buffer[];
  readonly burstCount: number;
  readonly ending: Buffer;
}

const HEAD = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench', system_fingerprint: 'fp_bench' };
const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const WHOLE_RESPONSE = toJsonResponse('200 OK', {
  ...HEAD,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: WHOLE_TEXT, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: usageOf(WHOLE_TOKENS),
});
const UNKNOWN_SCRIPT = toJsonResponse('404 Not Found', { error: { message: 'There is no such script' } });

const rendered = new Map(SCRIPTS.map((script) => [script.name, render(script)]));
const openStreams = new Set<{ bytes: number }>();

function toJsonResponse(status: string, body: object): Buffer {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
  );
}

/** An event as an HTTP chunk of its own, as servers send it that write events one at a time. */
function toChunk(fields: object): string {
  const event = `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...fields })}\n\n`;
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
}

function toTextChunk(script: UpstreamScript, index: number): string {
  const delta = { content: textOfChunk(script, index) };
  return toChunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] });
}

function render(script: UpstreamScript): Rendered {
  const { chunks, burst, chunkChars } = script;
  const burstCount = Math.ceil(chunks / burst);
  const toBurst = (number: number): Buffer => {
    const first = number * burst;
    const length = Math.min(burst, chunks - first);
    return Buffer.from(Array.from({ length }, (_, i) => toTextChunk(script, first + i)).join(''));
  };
  // The many events of a flood are all the same, so one is rendered.
  const bursts = Array.from({ length: chunkChars === null ? burstCount : 1 }, (_, number) => toBurst(number));
  return { script, bursts, burstCount, ending: toEnding(script) };
}

function toEnding({ chunks }: UpstreamScript): Buffer {
  const finish = toChunk({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] });
  const usage = toChunk({ choices: [], usage: usageOf(chunks) });
  return Buffer.from(`${finish}${usage}e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n`);
}

function stream(socket: Socket, { script, bursts, burstCount, ending }: Rendered): void {
  const progress = { bytes: 0 };
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;

  const finish = (): void => {
    clearTimeout(timer);
    socket.off('close', finish);
    openStreams.delete(progress);
  };
  const goOn = (): void => {
    if (socket.destroyed) return;
    if (sent === burstCount) {
      finish();
      return void socket.write(ending);
    }
    const bytes = bursts[sent % bursts.length] ?? ending;
    sent += 1;
    progress.bytes += bytes.length;
    if (!socket.write(bytes)) socket.once('drain', goOn);
    else if (script.intervalMs > 0) timer = setTimeout(goOn, script.intervalMs);
    else setImmediate(goOn);
  };
  openStreams.add(progress);
  socket.once('close', finish);
  socket.cork();
  socket.write(STREAM_HEAD);
  goOn();
  socket.uncork();
}

function respond(socket: Socket, text: string): void {
  const body = JSON.parse(text) as { model: string; stream?: boolean };
  // The gateway sends the provider's name of the model, the bare proxy the name that it was sent.
  const found = rendered.get(body.model.slice(body.model.lastIndexOf('/') + 1));
  if (found === undefined) socket.write(UNKNOWN_SCRIPT);
  else if (body.stream === true) stream(socket, found);
  else socket.write(WHOLE_RESPONSE);
}

/**
 * Reads requests of known length, one at a time, and implements no more of HTTP: Node's own server would cost as much
 * as the bare proxy does, and on a small machine measurements would be of the upstream.
 */
function serve(socket: Socket): void {
  let received = '';
  socket.setNoDelay(true);
  // Bodies here are ASCII, so that characters are bytes.
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => {
    received += piece;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0);
    const body = received.slice(headEnd + 4);
    if (body.length < length) return;
    received = '';
    respond(socket, body);
  });
  // Clients of this bench regularly disconnect before the end of a stream.
  socket.on('error', () => socket.destroy());
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const calls: UpstreamCalls = {
    port: async () => (server.address() as AddressInfo).port,
    bytesInOpenStreams: async () => [...openStreams].reduce((sum, { bytes }) => sum + bytes, 0),
  };
  serveCalls(calls);
});
