import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { serve } from '@hono/node-server';
import { type Gateway, toFetchHandler } from '@model-gateway/core';
import { gatewayRouter, type GatewayRouterOptions } from '@model-gateway/express';
import { listen, toNodeHandler } from '@model-gateway/node';
import compression from 'compression';
import express from 'express';
import express4 from 'express-4';
import { Hono } from 'hono';

/** Everything the gateway can be mounted in; what works on one must work on all. */
export const HOST_KINDS = [
  'node',
  'node-handler',
  'express-4',
  'express-5',
  'express-5-behind-middleware',
  'fetch',
] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** Hosts for tests with third-party clients: these, or the packaged desktop app, which is started elsewhere. */
export const CLIENT_HOSTS: readonly (HostKind | 'desktop')[] =
  process.env['CLIENT_HOST'] === 'desktop' ? ['desktop'] : HOST_KINDS;

export interface Host {
  /** `http://127.0.0.1:41234/ai/api/v1`: what a client's base URL is set to. */
  readonly apiUrl: string;
  close(): Promise<void>;
}

/** Serves a gateway on loopback in the given way. Router options other than `expose` concern Express alone. */
export async function startHost(kind: HostKind, gateway: Gateway, options: GatewayRouterOptions = {}): Promise<Host> {
  switch (kind) {
    case 'node': {
      const listener = await listen(gateway, { port: 0 });
      return { apiUrl: `${listener.url}/api/v1`, close: () => listener.close() };
    }
    case 'node-handler':
      return startApp(toNodeHandler(gateway, { mountPath: '/ai', expose: options.expose }), '/ai');
    case 'express-4':
      return startApp(express4().use(gatewayRouter(gateway, options)));
    case 'express-5':
      return startApp(express().use(gatewayRouter(gateway, options)));
    case 'express-5-behind-middleware': {
      const app = express().use(compression(), express.json({ limit: '5mb' }));
      return startApp(app.use('/ai', gatewayRouter(gateway, options)), '/ai');
    }
    case 'fetch':
      return startHono(gateway, options.expose);
  }
}

/** Serves an Express application on a free port. */
export async function startApp(app: RequestListener, mountPath = ''): Promise<Host> {
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return toHost(server, mountPath);
}

async function startHono(gateway: Gateway, expose: GatewayRouterOptions['expose']): Promise<Host> {
  const handle = toFetchHandler(gateway, { mountPath: '/ai', expose });
  const app = new Hono().all('/ai/*', (context) => handle(context.req.raw));
  // It would replace the `Request` that the clients under test use.
  const options = { overrideGlobalObjects: false, port: 0, hostname: '127.0.0.1' };
  const server = serve({ fetch: app.fetch, ...options }) as Server;
  await once(server, 'listening');
  return toHost(server, '/ai');
}

function toHost(server: Server, mountPath: string): Host {
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}${mountPath}/api/v1`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
