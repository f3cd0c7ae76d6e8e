import type { IncomingMessage, ServerResponse } from 'node:http';

import {
  DEFAULT_BODY_LIMIT_BYTES,
  DEFAULT_TIMEOUTS,
  type Gateway,
  type GatewayError,
  type GatewayRequest,
  type Surface,
  toErrorResponse,
} from '@model-gateway/core';

import type { NodeRequestOptions } from '../http/to-gateway-request.ts';
import { type WriteOptions, writeResponse } from '../http/write-response.ts';
import { toMountedRequest } from './to-mounted-request.ts';

/** Options of every host that mounts a gateway among its own routes. */
export interface MountOptions {
  /** Routes to offer beside the API. Default: none. */
  readonly expose?: readonly Exclude<Surface, 'api'>[] | undefined;
  /** Limit of a body in bytes. Default 32 MiB. A parser that runs before the gateway has its own limit. */
  readonly bodyLimitBytes?: number | undefined;
  /** Time in which a client must read pending data before its connection is closed. Default two minutes. */
  readonly clientWriteTimeoutMs?: number | undefined;
}

/** What the host knows of one request. */
export type MountedRequestOptions = Omit<NodeRequestOptions, 'bodyLimitBytes' | 'awaitsContinue' | 'json'>;

/** A gateway among the routes of a host on Node's http. */
export interface MountedGateway {
  /** Whether one of the offered routes has this method and path. */
  offers(method: string | undefined, path: string): boolean;
  toRequest(request: IncomingMessage, response: ServerResponse, options: MountedRequestOptions): GatewayRequest;
  /** Hands the request to the gateway and writes its response. Does nothing if the host has responded meanwhile. */
  serve(request: IncomingMessage, response: ServerResponse, options: MountedRequestOptions): Promise<void>;
  /** Responds with an error in the API's form. */
  refuse(response: ServerResponse, error: GatewayError): Promise<void>;
}

/** What all hosts on Node's http share that mount a gateway. */
export function createMountedGateway(gateway: Gateway, options: MountOptions): MountedGateway {
  const surfaces: readonly Surface[] = ['api', ...(options.expose ?? [])];
  const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
  const write: WriteOptions = {
    clientWriteTimeoutMs: options.clientWriteTimeoutMs ?? DEFAULT_TIMEOUTS.clientWriteMs,
  };
  const toRequest: MountedGateway['toRequest'] = (request, response, seen) =>
    toMountedRequest(request, response, { ...seen, bodyLimitBytes });

  return {
    offers: (method = 'GET', path) => gateway.matches(method, path, surfaces),
    toRequest,
    async serve(request, response, seen) {
      await writeResponse(response, await gateway.handle(toRequest(request, response, seen)), write);
    },
    async refuse(response, error) {
      await writeResponse(response, toErrorResponse(error), write);
    },
  };
}
