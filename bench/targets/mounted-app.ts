import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import express from 'express';

import { BENCH_KEY } from '../load/bench-request.ts';
import { serveCalls } from '../processes/worker.ts';

/** Calls that the process of an application serves. */
export type MountedAppCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
  memory(): Promise<NodeJS.MemoryUsage>;
  /** Collects all garbage. */
  collect(): Promise<void>;
};

/** What an application relays its calls with. */
export type Mounted = 'gateway' | 'proxy';

const [, , upstreamPort, mounted] = process.argv;
const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;

/** Starts the Express example with its gateway, in this process. */
async function startExample(): Promise<number> {
  const free = await findFreePort();
  Object.assign(process.env, {
    PORT: String(free),
    GATEWAY_KEY: BENCH_KEY,
    OPENAI_BASE_URL: `${upstreamUrl}/v1`,
  });
  const example = '../../examples/express-app/server.mjs';
  await import(example);
  return free;
}

/** Starts an application that passes everything below `/ai` on, as it is. */
async function startProxy(): Promise<number> {
  const { createProxyMiddleware } = await import('http-proxy-middleware');
  const app = express();
  app.use('/ai', createProxyMiddleware({ target: upstreamUrl }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The example takes its port as a setting, and does not tell which one `0` has become. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await (mounted === 'proxy' ? startProxy() : startExample());

const calls: MountedAppCalls = {
  port: async () => port,
  memory: async () => process.memoryUsage(),
  async collect() {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let i = 0; i < 3; i += 1) collect();
  },
};
serveCalls(calls);
