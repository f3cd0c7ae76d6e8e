import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP, connect as connectTcp, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connect as connectTls } from 'node:tls';

import {
  createTimerWheel,
  type Platform,
  type TimerWheel,
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  type TransportResponse,
  watchPieces,
} from '@model-gateway/core';

import { request as httpRequest } from '../builtin-http.ts';
import { createNodePlatform } from '../node-platform.ts';
import { decodeBody } from '../upstream/decode-body.ts';
import { toTransportError } from '../upstream/to-transport-error.ts';
import { flattenHeaders } from '../upstream/upstream-exchange.ts';
import { hostOf, isPublicAddress, findUrlProblem } from './public-addresses.ts';

export interface GuardedTransportOptions {
  /** Also call loopback and private addresses. Default false. */
  readonly allowPrivateNetwork?: boolean | undefined;
  /** Limit on look-up, connection and TLS handshake together. Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Limit on one decoded response body. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Finds all addresses of a name. Default: the system's resolver. */
  readonly lookUp?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** Opens a connection to an address. Default: TCP. */
  readonly connect?: ((address: string, port: number) => Socket) | undefined;
  readonly platform?: Platform | undefined;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Creates the transport for URLs from callers or upstreams: callbacks, images, files, downloads. It reaches public
 * addresses only: all addresses of a name must be public, and the one used is checked again before a byte is sent, so
 * that a name that changes its address has no effect. No redirects, no proxies from the environment, no kept
 * connections. A refused call sends nothing and rejects with a `TransportError` of phase `dns` or `connect`.
 */
export function createGuardedTransport(options: GuardedTransportOptions = {}): Transport {
  const allowPrivateNetwork = options.allowPrivateNetwork ?? false;
  const platform = options.platform ?? createNodePlatform();
  const wheel = createTimerWheel(platform);
  const network: Network = {
    lookUp: options.lookUp ?? lookUpAll,
    open: options.connect ?? ((host, port) => connectTcp({ host, port, autoSelectFamily: false })),
    isAllowed: (address) => allowPrivateNetwork || isPublicAddress(address),
  };

  return {
    async send(request) {
      request.signal.throwIfAborted();
      const problem = findUrlProblem(request.url, { schemes: ['https', 'http'], allowPrivateNetwork });
      if (problem !== undefined) throw refusal();
      const url = new URL(request.url);
      const clock = startCallClock(request, wheel, platform);
      clock.limitTo(options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS);
      try {
        const address = await untilAborted(findAddress(hostOf(url), network), clock.signal);
        clock.phase = 'connect';
        const socket = openSocket(url, address, network);
        const maxBodyBytes = request.maxBodyBytes ?? options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
        return await exchange(request, { url, socket, clock, maxBodyBytes });
      } catch (error) {
        clock.end();
        throw error;
      }
    },
  };
}

interface Network {
  readonly lookUp: (name: string) => Promise<readonly string[]>;
  readonly open: (address: string, port: number) => Socket;
  readonly isAllowed: (address: string) => boolean;
}

async function findAddress(host: string, { lookUp, isAllowed }: Network): Promise<string> {
  const addresses = isIP(host) === 0 ? await lookUp(host).catch(unresolved) : [host];
  if (addresses instanceof TransportError) throw addresses;
  if (addresses.length === 0) throw unresolved();
  // One address that is not public refuses all: an attacker controls the name, or it means a host in this network.
  if (!addresses.every(isAllowed)) throw refusal();
  return addresses[0] as string;
}

function openSocket(url: URL, address: string, { open, isAllowed }: Network): Socket {
  const isSecure = url.protocol === 'https:';
  const socket = open(address, Number(url.port || (isSecure ? 443 : 80)));
  // This is the first listener, so that it runs before anything is written.
  socket.prependOnceListener('connect', () => {
    const remote = socket.remoteAddress?.replace(/^::ffff:/, '');
    if (remote === undefined || !isAllowed(remote)) socket.destroy(refusal());
  });
  if (!isSecure) return socket;
  const host = hostOf(url);
  const servername = isIP(host) === 0 ? host.replace(/\.$/, '') : '';
  return connectTls({ socket, servername, ALPNProtocols: ['http/1.1'], ...(servername === '' && { host }) });
}

interface Exchange {
  readonly url: URL;
  readonly socket: Socket;
  readonly clock: CallClock;
  readonly maxBodyBytes: number;
}

function exchange(
  request: TransportRequest,
  { url, socket, clock, maxBodyBytes }: Exchange,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy(toError(clock.signal.reason));
    clock.signal.addEventListener('abort', onAbort, { once: true });
    const fail = (thrown: Error): void => reject(toFailure(thrown, clock));
    socket.once('error', fail);
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clock.phase = 'headers';
      clock.limitTo(request.headersTimeoutMs);
    });
    const sent = httpRequest({
      method: request.method,
      path: url.pathname + url.search,
      headers: { host: url.host, 'accept-encoding': 'identity', ...request.headers },
      maxHeaderSize: MAX_HEADER_BYTES,
      createConnection: () => socket,
    });
    // This listener is not removed: an upload may break off after its response has arrived.
    sent.on('error', fail);
    sent.once('response', (response) => {
      clock.phase = 'body';
      clock.limitTo(Number.POSITIVE_INFINITY);
      const headers = flattenHeaders(response.headers);
      const body = readBody(response, request.idleTimeoutMs, maxBodyBytes, clock);
      const decoded = decodeBody(body, headers['content-encoding'], maxBodyBytes);
      resolve({ status: response.statusCode ?? 0, headers, body: decoded });
    });
    if (typeof request.body !== 'function') return void sent.end(request.body);
    const onPiece = (): void => {
      if (clock.phase === 'headers') clock.limitTo(request.headersTimeoutMs);
    };
    const onError = (error: Error): void => {
      reject(error);
      socket.destroy(error);
    };
    // Errors of the upload are reported by the listeners above.
    pipeline(watchPieces(request.body(), onPiece, onError), sent, () => undefined);
  });
}

/** Yields the body; while its reader is the slow side, the time limit on the upstream does not run. */
async function* readBody(
  response: IncomingMessage,
  idleTimeoutMs: number,
  maxBytes: number,
  clock: CallClock,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  const iterator = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      clock.limitTo(idleTimeoutMs);
      const { done, value } = await iterator.next();
      clock.limitTo(Number.POSITIVE_INFINITY);
      if (done === true) return;
      total += value.byteLength;
      if (total > maxBytes) {
        throw new TransportError('the response is larger than allowed', { phase: 'body', requestSent: true });
      }
      yield value;
    }
  } catch (error) {
    throw toFailure(error as Error, clock);
  } finally {
    clock.end();
    response.destroy();
  }
}

async function lookUpAll(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

const refusal = (): TransportError =>
  new TransportError('the address may not be called', { phase: 'connect', requestSent: false });

const unresolved = (cause?: unknown): TransportError =>
  new TransportError('the name could not be resolved', { phase: 'dns', requestSent: false, cause });

/** A socket destroyed on purpose fails with its own message; the caller needs the reason for its destruction. */
function toFailure(thrown: Error, { signal, phase }: CallClock): Error {
  if (signal.aborted) return toError(signal.reason);
  return thrown instanceof TransportError ? thrown : toTransportError(thrown, phase);
}

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** The time limits of one call, and the phase that it has reached. */
interface CallClock {
  phase: TransportPhase;
  /** Aborts when the caller gives up or a limit runs out; the call then fails with its reason. */
  readonly signal: AbortSignal;
  /** Sets the limit on the current wait; the limit on the whole call applies besides. */
  limitTo(limitMs: number): void;
  /** Releases the timer and the listener on the caller's signal. */
  end(): void;
}

/** Starts the clock of a call. The caller ends it. */
function startCallClock(request: TransportRequest, wheel: TimerWheel, platform: Platform): CallClock {
  const work = new AbortController();
  const endsAt = platform.monotonicNow() + request.totalTimeoutMs;
  const deadline = wheel.add(() => {
    const { phase } = clock;
    const requestSent = phase === 'headers' || phase === 'body';
    work.abort(new TransportError('a time limit ran out', { phase, requestSent, timedOut: true }));
  });
  const onAbort = (): void => work.abort(request.signal.reason);
  if (request.signal.aborted) onAbort();
  request.signal.addEventListener('abort', onAbort, { once: true });
  const clock: CallClock = {
    phase: 'dns',
    signal: work.signal,
    limitTo: (limitMs) => deadline.setAt(Math.min(platform.monotonicNow() + limitMs, endsAt)),
    end() {
      deadline.clear();
      request.signal.removeEventListener('abort', onAbort);
    },
  };
  return clock;
}

/** Settles like the promise, unless the signal fires first; then rejects with its reason. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
