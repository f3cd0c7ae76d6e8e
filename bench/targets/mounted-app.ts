import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { BENCH_KEY } from '../load/bench-request.ts';
import { serveCalls } from '../processes/worker.ts';

/** Calls that the process of the example application serves. */
export type MountedAppCalls = {
  /** The port it listens on. */
  port(): Promise<number>;
  memory(): Promise<NodeJS.MemoryUsage>;
  /** Collects all garbage. */
  collect(): Promise<void>;
};

/** The example takes its port as a setting, and does not tell which one `0` has become. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await findFreePort();
Object.assign(process.env, {
  PORT: String(port),
  GATEWAY_KEY: BENCH_KEY,
  OPENAI_BASE_URL: `http://127.0.0.1:${process.argv[2]}/v1`,
});
const example = '../../examples/express-app/server.mjs';
await import(example);

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
