import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { devNull } from 'node:os';
import process from 'node:process';

import { serveCalls } from '../processes/worker.ts';

/** Calls that the process of claude-code-router's server serves. */
export type LlmsCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
};

/** Whether it logs: nothing, or what claude-code-router lets it log by default, to a file. */
export type LlmsLog = 'off' | 'debug';

/** What is used of the server. */
interface LlmsServer {
  readonly app: { readonly server: { address(): AddressInfo } };
  start(): Promise<void>;
}

const [, , file = '', upstreamPort, log] = process.argv;
process.env['NODE_ENV'] = 'production';
const { default: Server } = createRequire(import.meta.url)(file) as { default: new (options: object) => LlmsServer };
const provider = {
  name: 'upstream',
  api_base_url: `http://127.0.0.1:${upstreamPort}/v1/chat/completions`,
  api_key: 'upstream-secret',
  models: ['burst'],
};
const server = new Server({
  // A minute of this load would fill a gigabyte of a real file.
  logger: log === 'debug' && { level: 'debug', stream: createWriteStream(devNull) },
  initialConfig: { HOST: '127.0.0.1', PORT: '0', providers: [provider] },
});
await server.start();

const calls: LlmsCalls = { port: async () => server.app.server.address().port };
serveCalls(calls);
