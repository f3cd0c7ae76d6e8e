import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

import { serveCalls } from '../processes/worker.ts';

/** Calls that the process of claude-code-router's server serves. */
export type LlmsCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
};

/** What is used of the server. */
interface LlmsServer {
  readonly app: { readonly server: { address(): AddressInfo } };
  start(): Promise<void>;
}

const [, , file = '', upstreamPort] = process.argv;
process.env['NODE_ENV'] = 'production';
const { default: Server } = createRequire(import.meta.url)(file) as { default: new (options: object) => LlmsServer };
const provider = {
  name: 'upstream',
  api_base_url: `http://127.0.0.1:${upstreamPort}/v1/chat/completions`,
  api_key: 'upstream-secret',
  models: ['burst'],
};
// A log of every request and event would make it slower than its users have to bear.
const server = new Server({ logger: false, initialConfig: { HOST: '127.0.0.1', PORT: '0', providers: [provider] } });
await server.start();

const calls: LlmsCalls = { port: async () => server.app.server.address().port };
serveCalls(calls);
