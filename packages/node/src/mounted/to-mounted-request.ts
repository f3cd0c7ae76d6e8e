import type { IncomingMessage, ServerResponse } from 'node:http';

import { GatewayError, type GatewayRequest } from '@model-gateway/core';

import { type NodeRequestOptions, toGatewayRequest } from '../http/to-gateway-request.ts';
import { type ParsedBody, readParsedBody } from './read-parsed-body.ts';

/** Builds the core's request from one of a host that may have parsed its body, and has removed the path of the mount. */
export function toMountedRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions,
): GatewayRequest {
  const { bodyLimitBytes } = options;
  const body = readParsedBody(request);
  const isTooLarge = (limitBytes: number): boolean => sizeOf(request, body) > limitBytes;
  const gatewayRequest = toGatewayRequest(request, response, {
    ...options,
    json: body.type === 'json' && !isTooLarge(bodyLimitBytes) ? body.value : undefined,
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
function sizeOf({ headers }: IncomingMessage, body: ParsedBody): number {
  if (body.type === 'bytes') return body.bytes.byteLength;
  return body.type === 'json' ? Number(headers['content-length'] ?? 0) : 0;
}
