import type { ServerResponse } from 'node:http';

import { GatewayError, type GatewayRequest } from '@model-gateway/core';
import { isLoopbackHost, toGatewayRequest } from '@model-gateway/node';

import type { ExpressRequest } from './express-request.ts';
import { type ParsedBody, readParsedBody } from './read-parsed-body.ts';

export interface MountedRequestOptions {
  readonly bodyLimitBytes: number;
  readonly principal?: GatewayRequest['principal'];
}

/** Builds the core's request from Express's, for any mount path and any parsed body. */
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
  /** The body, if middleware has read it; undefined if it is still to be read. */
  const takeBytes = (limitBytes: number): Uint8Array | undefined => {
    if (isTooLarge(limitBytes)) {
      throw new GatewayError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
    }
    if (body.type === 'bytes') return body.bytes;
    // Another handler may have read the stream: data that has ended does not come again.
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

/** The error for a body that the host's middleware has consumed. No 5xx, because it is permanent. */
export function lostBody(): GatewayError {
  return new GatewayError(
    'unprocessable',
    'The application read the body and left none; mount the gateway before that middleware, or leave the body in request.body',
  );
}

/** Size of the body as sent, if another handler has read it; the gateway's own reader counts the bytes itself. */
function sizeOf({ headers }: ExpressRequest, body: ParsedBody): number {
  if (body.type === 'bytes') return body.bytes.byteLength;
  return body.type === 'json' ? Number(headers['content-length'] ?? 0) : 0;
}

/** The origin that the client used. Express's `hostname` drops the port, so its rule is applied again with it. */
function originOf(request: ExpressRequest): string {
  const trusts = request.app.get('trust proxy fn');
  const isTrusted = typeof trusts === 'function' && Boolean(trusts(request.socket.remoteAddress, 0));
  const forwarded = isTrusted ? [request.headers['x-forwarded-host']].flat()[0]?.split(',')[0]?.trim() : undefined;
  return `${request.protocol}://${forwarded || (request.headers.host ?? 'localhost')}`;
}

/**
 * The caller's address according to `trust proxy`. A loopback address gives access to what is meant for this machine
 * alone, so it is not trusted for a request that came through a proxy: the proxy may run here, and its client anywhere.
 */
function remoteAddressOf({ ip, headers }: ExpressRequest): string {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
  return ip === undefined || (isForwarded && isLoopbackHost(ip)) ? 'unknown' : ip;
}
