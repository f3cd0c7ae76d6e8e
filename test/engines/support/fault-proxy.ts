import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** From the client to the server, or back. */
export type Direction = 'toServer' | 'toClient';

/** A slow network: each piece arrives later, and no more than so many bytes a second get through each way. */
export interface Slowness {
  readonly delayMs?: number;
  readonly bytesPerSecond?: number;
}

/** A network between a client and a server that a test can break. One fault at a time; each method ends the one before. */
export interface FaultProxy {
  readonly port: number;
  /** An address of the server behind, changed so that it leads through this proxy. */
  through(url: string): string;
  /** Number of connections that are open through it now. */
  readonly connections: number;
  /** Number of bytes that have been passed on, each way. */
  readonly passed: Readonly<Record<Direction, number>>;
  /** All is well again. What was held is passed on; connections that were cut stay so. */
  pass(): void;
  /** Resets every connection, and each new one at once, until another method is called. */
  cut(): void;
  /** Accepts connections and passes nothing on, both ways or one way only, as where packets are lost. */
  hold(directions?: readonly Direction[]): void;
  /** Passes everything on, but slowly. */
  slow(slowness: Slowness): void;
  /** Leads new connections to another server. */
  leadTo(serverPort: number): void;
  /** Resets every connection and listens no more. */
  close(): Promise<void>;
}

type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'held'; readonly directions: readonly Direction[]; readonly ended: Promise<void> }
  | ({ readonly kind: 'slow' } & Slowness);

/** Bytes that may wait for a slow or held direction before its sender feels it. */
const HELD_BYTES = 1024 * 1024;

/** Starts a proxy on loopback in front of a server on loopback. */
export async function startFaultProxy(firstPort: number): Promise<FaultProxy> {
  const sockets = new Set<net.Socket>();
  let serverPort = firstPort;
  const passed: Record<Direction, number> = { toServer: 0, toClient: 0 };
  let fault: Fault = { kind: 'none' };
  let endFault = (): void => undefined;
  const change = (next: Fault, end = (): void => undefined): void => {
    fault = next;
    endFault();
    endFault = end;
  };
  const resetAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const link = { fault: () => fault, onPassed: (way: Direction, bytes: number) => void (passed[way] += bytes) };

  const listener = net.createServer({ allowHalfOpen: true }, (client) => {
    if (fault.kind === 'cut') {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const server = net.connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => sockets.delete(socket));
    }
    pump(client, server, 'toServer', link);
    pump(server, client, 'toClient', link);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;

  return {
    port,
    through(url) {
      const changed = new URL(url);
      changed.hostname = '127.0.0.1';
      changed.port = String(port);
      return changed.href;
    },
    get connections() {
      return sockets.size / 2;
    },
    passed,
    pass: () => change({ kind: 'none' }),
    cut() {
      change({ kind: 'cut' });
      resetAll();
    },
    hold(directions = ['toServer', 'toClient']) {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      change({ kind: 'held', directions, ended }, end);
    },
    slow: (slowness) => change({ kind: 'slow', ...slowness }),
    leadTo(port) {
      serverPort = port;
    },
    async close() {
      change({ kind: 'cut' });
      resetAll();
      if (!listener.listening) return;
      listener.close();
      await once(listener, 'close');
    },
  };
}

interface Link {
  readonly fault: () => Fault;
  readonly onPassed: (way: Direction, bytes: number) => void;
}

interface Piece {
  /** Undefined for the end of what the sender has to say. */
  readonly bytes: Buffer | undefined;
  readonly arrivedAt: number;
}

/** Passes on what one side sends, in order, as the fault of the moment has it. */
function pump(from: net.Socket, to: net.Socket, way: Direction, link: Link): void {
  const waiting: Piece[] = [];
  let waitingBytes = 0;
  let isRunning = false;
  const run = async (): Promise<void> => {
    for (let piece = waiting[0]; piece !== undefined && !to.destroyed; piece = waiting[0]) {
      await meetFault(piece, way, link.fault);
      waiting.shift();
      if (to.destroyed) break;
      if (piece.bytes === undefined) to.end();
      else {
        link.onPassed(way, piece.bytes.length);
        waitingBytes -= piece.bytes.length;
        if (!to.write(piece.bytes)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
        if (waitingBytes < HELD_BYTES) from.resume();
      }
    }
    isRunning = false;
  };
  const take = (bytes: Buffer | undefined): void => {
    waiting.push({ bytes, arrivedAt: performance.now() });
    waitingBytes += bytes?.length ?? 0;
    if (waitingBytes >= HELD_BYTES) from.pause();
    if (isRunning) return;
    isRunning = true;
    run().catch(() => to.destroy());
  };
  from.on('data', take);
  from.on('end', () => take(undefined));
}

async function meetFault({ bytes, arrivedAt }: Piece, way: Direction, faultNow: () => Fault): Promise<void> {
  for (let fault = faultNow(); ; fault = faultNow()) {
    if (fault.kind === 'held' && fault.directions.includes(way)) {
      await fault.ended;
      continue;
    }
    if (fault.kind !== 'slow') return;
    const { delayMs = 0, bytesPerSecond = Infinity } = fault;
    const sendingMs = ((bytes?.length ?? 0) / bytesPerSecond) * 1000;
    await delay(Math.max(arrivedAt + delayMs - performance.now(), 0) + sendingMs);
    if (faultNow() === fault) return;
  }
}
