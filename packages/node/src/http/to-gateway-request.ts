import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, type GatewayRequest } from '@model-gateway/core';
import { atEndOfTurn } from '../at-end-of-turn.ts';
import ipaddr from 'ipaddr.js';

export interface NodeRequestOptions {
  /** Largest body in bytes. */
  readonly bodyLimitBytes: number;
  /** Whether the client waits for permission to send its body (`Expect: 100-continue`) and has not received it yet. */
  readonly awaitsContinue?: boolean | undefined;
  /** Where the gateway is mounted, without a trailing slash; empty at the root. */
  readonly mountPath?: string | undefined;
  /** Public origin, without a trailing slash: `https://host`. */
  readonly originOf: (request: IncomingMessage) => string;
  /** The body, where an earlier handler has parsed it. */
  readonly json?: unknown;
  readonly remoteAddress?: string | undefined;
  readonly principal?: GatewayRequest['principal'];
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
  response.on('close', () => {
    if (!response.writableFinished) {
      client.abort(new GatewayError('client_closed_request', 'The client closed the request'));
    }
  });
  const url = request.url ?? '/';
  const queryAt = url.indexOf('?');
  const mountPath = options.mountPath ?? '';
  return {
    method: request.method ?? 'GET',
    path: queryAt === -1 ? url : url.slice(0, queryAt),
    query: queryAt === -1 ? '' : url.slice(queryAt + 1),
    headers: request.headers,
    readBody(limitBytes = options.bodyLimitBytes) {
      if (isTooLong(request, limitBytes)) return Promise.reject(tooLarge(limitBytes));
      if (options.awaitsContinue === true) response.writeContinue();
      return readBody(request, limitBytes);
    },
    async *openBody(limitBytes = options.bodyLimitBytes) {
      if (isTooLong(request, limitBytes)) throw tooLarge(limitBytes);
      if (options.awaitsContinue === true) response.writeContinue();
      yield* openBody(request, limitBytes);
    },
    json: options.json,
    signal: client.signal,
    abort: (reason) => client.abort(reason),
    // Not a getter: an accessor gives each such object a hidden class, which costs more to collect than the request.
    baseUrl: options.originOf(request) + mountPath,
    remoteAddress: options.remoteAddress,
    principal: options.principal,
  };
}

function readBody(request: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let total = 0;
    request.on('data', (piece: Buffer) => {
      total += piece.byteLength;
      if (total <= limitBytes) return void pieces.push(piece);
      // Present and later bytes are discarded, so that the client can finish sending and read the response.
      pieces.length = 0;
      request.removeAllListeners('data');
      request.resume();
      reject(tooLarge(limitBytes));
    });
    request.on('end', () => {
      const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      atEndOfTurn(() => resolve(body));
    });
    request.on('close', () => {
      if (!request.complete) reject(new GatewayError('client_closed_request', 'The client closed the request'));
    });
  });
}

async function* openBody(request: IncomingMessage, limitBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  try {
    // The connection stays open for the response when the pieces are left early.
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      total += piece.byteLength;
      if (total > limitBytes) throw tooLarge(limitBytes);
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof GatewayError || request.complete) throw cause;
    throw new GatewayError('client_closed_request', 'The client closed the request', { cause });
  } finally {
    // Bytes that still arrive are discarded, so that the client can finish sending and read the response.
    request.resume();
  }
}

const isTooLong = ({ headers }: IncomingMessage, limitBytes: number): boolean =>
  Number(headers['content-length'] ?? 0) > limitBytes;

const tooLarge = (limitBytes: number): GatewayError =>
  new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);

export interface PublicOriginOptions {
  readonly publicUrl: string | null;
  /** Addresses or CIDR ranges of proxies whose forwarded headers are trusted. */
  readonly trustedProxies: readonly string[];
  readonly isTls?: boolean | undefined;
}

/** A request as seen from outside: the origin that its client used, and the address that it came from. */
export interface PublicView {
  originOf(request: IncomingMessage): string;
  clientAddressOf(request: IncomingMessage): string | undefined;
}

/** Reads forwarded headers from trusted proxies only. Throws `RangeError` for an invalid range. */
export function createPublicView({ publicUrl, trustedProxies, isTls }: PublicOriginOptions): PublicView {
  const ranges = trustedProxies.map(parseRange);
  const configured = publicUrl?.replace(/\/+$/, '');
  const isTrusted = (address: string | undefined): boolean => {
    if (ranges.length === 0 || address === undefined || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));
  };
  const firstOf = (value: string | string[] | undefined): string | undefined =>
    (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();

  return {
    originOf(request) {
      if (configured !== undefined) return configured;
      const forwarded = isTrusted(request.socket.remoteAddress) ? request.headers : {};
      const protocol = firstOf(forwarded['x-forwarded-proto']) ?? (isTls === true ? 'https' : 'http');
      const host = firstOf(forwarded['x-forwarded-host']) ?? request.headers.host ?? 'localhost';
      return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
    },
    clientAddressOf(request) {
      const direct = request.socket.remoteAddress;
      if (!isTrusted(direct)) return isForwarded(request) ? undefined : direct;
      const hops = [request.headers['x-forwarded-for']].flat().join(',').split(',');
      // From the right, the first address that is no trusted proxy is the last that a client could not have forged.
      return hops.map((hop) => hop.trim()).findLast((hop) => ipaddr.isValid(hop) && !isTrusted(hop)) ?? direct;
    },
  };
}

/**
 * Returns whether a proxy declares that it forwarded the request. The proxy's own address, often loopback, must not be
 * used as the client's.
 */
function isForwarded({ headers }: IncomingMessage): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/') && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  throw new RangeError(`"${text}" is neither an address nor a CIDR range`);
}
