import { type AddressInfo, createServer, type Socket } from 'node:net';

import { serveCalls } from '../processes/worker.ts';
import { BURST, SCRIPTS, type UpstreamScript } from './upstream-script.ts';
import { toVectors, type VectorFormat, VECTORS_PATH } from './upstream-vectors.ts';
import { type UpstreamWire, UPSTREAM_WIRES } from './upstream-wires.ts';

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
  readonly beginning: Buffer;
  /** One for each burst, or one where all bursts are the same. */
  readonly bursts: readonly Buffer[];
  readonly burstCount: number;
  readonly ending: Buffer;
}

const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const UNKNOWN_SCRIPT = toJsonResponse('404 Not Found', { error: { message: 'There is no such script' } });

/** What is sent at one path. */
interface Served {
  readonly whole: Buffer;
  readonly scripts: ReadonlyMap<string, Rendered>;
}

const served = new Map(Object.values(UPSTREAM_WIRES).map((wire) => [wire.path, serveWire(wire)]));
const vectors = {
  float: toJsonResponse('200 OK', toVectors('float')),
  base64: toJsonResponse('200 OK', toVectors('base64')),
};
const openStreams = new Set<{ bytes: number }>();

function toJsonResponse(status: string, body: object): Buffer {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
  );
}

function serveWire(wire: UpstreamWire): Served {
  // The long scripts are for measurements of chat completions alone.
  const scripts = wire === UPSTREAM_WIRES.openai ? SCRIPTS : [BURST];
  return {
    whole: toJsonResponse('200 OK', wire.whole),
    scripts: new Map(scripts.map((script) => [script.name, render(script, wire)])),
  };
}

/** Events, each as an HTTP chunk of its own, as servers send them that write events one at a time. */
function toChunks(events: readonly string[]): string {
  return events.map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`).join('');
}

function render(script: UpstreamScript, wire: UpstreamWire): Rendered {
  const { chunks, burst, chunkChars } = script;
  const burstCount = Math.ceil(chunks / burst);
  const toBurst = (number: number): Buffer => {
    const first = number * burst;
    const length = Math.min(burst, chunks - first);
    return Buffer.from(toChunks(Array.from({ length }, (_, i) => wire.toText(script, first + i))));
  };
  // The many events of a flood are all the same, so one is rendered.
  const bursts = Array.from({ length: chunkChars === null ? burstCount : 1 }, (_, number) => toBurst(number));
  const beginning = Buffer.from(STREAM_HEAD + toChunks(wire.beginning));
  const ending = Buffer.from(`${toChunks(wire.toEnding(script))}0\r\n\r\n`);
  return { script, beginning, bursts, burstCount, ending };
}

function stream(socket: Socket, { script, beginning, bursts, burstCount, ending }: Rendered): void {
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
  socket.write(beginning);
  goOn();
  socket.uncork();
}

/** On Google's wire the address has the model and the stream. */
const IN_PATH = /^(?<path>\/v1\/models\/)(?<model>[^:]+):(?<stream>stream)?/;

function respond(socket: Socket, address: string, text: string): void {
  const { path = address, model, stream: isStream } = IN_PATH.exec(address)?.groups ?? {};
  const sent = JSON.parse(text) as { model: string; stream?: boolean; encoding_format?: VectorFormat };
  if (path === VECTORS_PATH) return void socket.write(vectors[sent.encoding_format ?? 'float']);
  const body = model === undefined ? sent : { model, stream: isStream !== undefined };
  const wire = served.get(path);
  // The gateway sends the provider's name of the model, the bare proxy the name that it was sent.
  const script = wire?.scripts.get(body.model.slice(body.model.lastIndexOf('/') + 1));
  if (wire === undefined || script === undefined) socket.write(UNKNOWN_SCRIPT);
  else if (body.stream === true) stream(socket, script);
  else socket.write(wire.whole);
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
    const path = received.slice(received.indexOf(' ') + 1, received.indexOf(' HTTP/'));
    received = '';
    respond(socket, path, body);
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
