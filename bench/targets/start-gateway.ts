import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { BENCH_KEY, BENCH_MANAGEMENT_KEY } from '../load/bench-request.ts';
import { endWithBench, makeTemporaryFolder } from '../processes/children.ts';
import { SCRIPTS } from './upstream-script.ts';
import { VECTORS_MODEL } from './upstream-vectors.ts';
import type { WireName } from './upstream-wires.ts';

/** A process of the gateway, started as users start it. */
export interface GatewayProcess {
  readonly pid: number;
  readonly port: number;
  /** Time from starting the process until it reports that it listens. */
  readonly listeningAfterMs: number;
  stop(): Promise<void>;
}

export interface GatewayProcessOptions {
  readonly upstreamPort: number;
  /** Default: a new one, removed at the end. */
  readonly dataDir?: string;
  /** A built checkout whose gateway is started. Default: this one. */
  readonly checkout?: string | undefined;
  /** A single executable that is started instead. */
  readonly binary?: string | undefined;
  /** The wire by which the upstream is asked. Default: `openai`. */
  readonly wire?: WireName | undefined;
  /** Addresses of a database and, if any, a Redis. Default: a JSON-file store, and nothing shared. */
  readonly engines?: Pick<EngineUrls, 'database'> | EngineUrls | undefined;
  /** Processes that serve. Default: the one that is started. */
  readonly workers?: number | undefined;
  /** Whether each call counts against a limit of requests and a budget, which are too high to refuse any. */
  readonly isLimited?: boolean | undefined;
}

export interface EngineUrls {
  readonly database: string;
  readonly redis: string;
}

const THIS_CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const KILL_AFTER_MS = 20_000;
const MAX_LOG_CHARS = 4000;

/**
 * Starts the built `model-gateway serve`: JSON-file store, a key, prompts and completions recorded, all else by
 * default.
 */
export function startGateway(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const configFile = join(makeTemporaryFolder(), 'gateway.config.json');
  writeFileSync(configFile, JSON.stringify(toConfig(options)));
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const script = join(options.checkout ?? THIS_CHECKOUT, 'packages/server/bin/model-gateway.js');
    const [program, ...first] = options.binary === undefined ? [process.execPath, script] : [options.binary];
    const workers = options.workers === undefined ? [] : ['--workers', String(options.workers)];
    const args = [...first, 'serve', '--config', configFile, '--port', '0', ...workers];
    const child = endWithBench(spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
    let log = '';
    child.stderr.on('data', (piece: Buffer) => (log = (log + piece.toString()).slice(-MAX_LOG_CHARS)));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the gateway ended (${signal ?? code}):\n${log}`)));
    createInterface(child.stdout).on('line', (line) => {
      const listeningAfterMs = performance.now() - startedAt;
      const { event, url } = JSON.parse(line) as { event?: unknown; url?: unknown };
      if (event !== 'listening') return;
      const stop = (): Promise<void> =>
        new Promise((stopped) => {
          if (child.exitCode !== null || child.signalCode !== null) return stopped();
          child.once('exit', () => stopped());
          child.kill('SIGTERM');
          setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
        });
      resolve({ pid: child.pid ?? 0, port: Number(new URL(String(url)).port), listeningAfterMs, stop });
    });
  });
}

function toConfig({ upstreamPort, dataDir, wire = 'openai', engines, isLimited }: GatewayProcessOptions): object {
  const dir = dataDir ?? join(makeTemporaryFolder(), 'data');
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
  const pricing = { prompt: '0.00000015', completion: '0.0000006' };
  return {
    server: { host: '127.0.0.1' },
    auth: {
      bootstrapKeys: [
        { key: BENCH_KEY, kind: 'api', name: 'bench' },
        { key: BENCH_MANAGEMENT_KEY, kind: 'management', name: 'bench management' },
      ],
    },
    // Some measurements have destinations on this machine.
    webhooks: { allowPrivateNetwork: true },
    store: engines === undefined ? { type: 'json', dir } : { type: 'postgres', url: engines.database, dir },
    ...(engines !== undefined && 'redis' in engines && { shared: { type: 'redis', url: engines.redis } }),
    ...(isLimited === true && {
      rateLimits: [{ key: '*', requestsPerMinute: 1_000_000_000 }],
      account: { creditsUsd: 1_000_000 },
    }),
    logging: { inputOutput: true },
    providers: [{ slug: 'upstream', wire, baseUrl, apiKey: 'upstream-secret' }],
    models: [
      ...SCRIPTS.map(({ name }) => ({
        id: `bench/${name}`,
        context_length: 128_000,
        endpoints: [{ provider: 'upstream', providerModel: name, pricing }],
      })),
      {
        id: VECTORS_MODEL,
        architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
        endpoints: [{ provider: 'upstream', providerModel: 'vectors', pricing: { prompt: pricing.prompt } }],
      },
    ],
  };
}
