import type { ServerResponse } from 'node:http';

import { GatewayError, type GatewayRequest } from '@model-gateway/core';
import { isLoopbackHost, toGatewayRequest } from '@model-gateway/node';

import type { ExpressRequest } from './express-request.ts';
import { type ParsedBody, readParsedBody } from './read-parsed-body.ts';

export interface MountedRequestOptions {
  readonly bodyLimitBytes: number;
  readonly principal?: GatewayRequest['principal'];
}

/** Builds the core's request from Express's, wherever it is mounted and whatever has parsed its body. */
export function toMountedRequest(
  request: ExpressRequest,
  response: ServerResponse,
  { bodyLimitBytes, principal }: MountedRequestOptions,
): GatewayRequest {
  const body = readParsedBody(request);
  const isTooLarge = (limitBytes: number): boolean => sizeOf(request, body) > limitBytes;
  const gatewayRequest = toGatewayRequest(request, response, {
    bodyLimitBytes,
    mountPath: request.baseUrl,
    originOf: () => originOf(request),
    json: body.type === 'json' && !isTooLarge(bodyLimitBytes) ? body.value : undefined,
    remoteAddress: remoteAddressOf(request),
    principal,
  });
  const { readBody, openBody } = gatewayRequest;
  /** The body where middleware has read it; undefined where it is still to be read. */
  const takeBytes = (limitBytes: number): Uint8Array | undefined => {
    if (isTooLarge(limitBytes)) {
      throw new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
    }
    if (body.type === 'bytes') return body.bytes;
    // Another handler may be reading the same stream: data that has ended by now will not come again.
    if (request.readableEnded) throw lostBody();
    return undefined;
  };
  return Object.assign(gatewayRequest, {
    async readBody(limitBytes = bodyLimitBytes) {
      return takeBytes(limitBytes) ?? readBody(limitBytes);
    },
    async *openBody(limitBytes = bodyLimitBytes) {
      const bytes = takeBytes(limitBytes);
      if (bytes === undefined) yield* openBody(limitBytes);
      else yield bytes;
    },
  });
}

/** The error for a body that middleware of the host has used up. Nothing permanent may be a 5xx. */
export function lostBody(): GatewayError {
  return new GatewayError(
    'unprocessable',
    'The application read the body and left none; mount the gateway before that middleware, or leave the body in request.body',
  );
}

/** Size of the body as sent, when another handler has read it; the gateway's own reader counts the bytes itself. */
function sizeOf({ headers }: ExpressRequest, body: ParsedBody): number {
  if (body.type === 'bytes') return body.bytes.byteLength;
  return body.type === 'json' ? Number(headers['content-length'] ?? 0) : 0;
}

/** The origin the client used. Express's own `hostname` drops the port, so its rule is applied again, port included. */
function originOf(request: ExpressRequest): string {
  const trusts = request.app.get('trust proxy fn');
  const isTrusted = typeof trusts === 'function' && Boolean(trusts(request.socket.remoteAddress, 0));
  const forwarded = isTrusted ? [request.headers['x-forwarded-host']].flat()[0]?.split(',')[0]?.trim() : undefined;
  return `${request.protocol}://${forwarded || (request.headers.host ?? 'localhost')}`;
}

/**
 * The caller's address as `trust proxy` says. Loopback opens what is meant for this machine alone, so it is not
 * believed of a request that came through a proxy: the proxy may run here, and its client anywhere.
 */
function remoteAddressOf({ ip, headers }: ExpressRequest): string {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return ip === undefined || (isForwarded && isLoopbackHost(ip)) ? 'unknown' : ip;
}
