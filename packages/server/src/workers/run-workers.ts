import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import process from 'node:process';

import { VERSION } from '@model-gateway/core';
import type { GatewayConfig } from '@model-gateway/node';

import type { DatabaseSettings } from '../open/open-database.ts';
import { listSecrets } from '../open/open-secrets.ts';
import { warnOfConnections } from '../open/share-connections.ts';
import { UsageError } from '../process/flags.ts';
import { createLogger } from '../process/logger.ts';
import { describeListenError } from '../process/port-holder.ts';
import { createProcessMetrics } from '../process/process-metrics.ts';
import { stopOnSignals } from '../process/signals.ts';
import { StartError } from '../process/start-error.ts';
import { createMetricsSum } from '../process/worker-metrics.ts';
import { announceListening, toWorkerEnvironment, type WorkerPlace } from '../process/worker-place.ts';
import { planStart, type ServeOptions } from '../serve/plan-start.ts';
import { createWorkerPool, type WorkerProcess } from './worker-pool.ts';

/** Time after the drain limit for the workers to close everything. */
const STOP_MARGIN_MS = 15_000;

/**
 * Runs several processes of `serve` that share a port, and replaces those that die, until a signal ends them all.
 * Resolves when the first one has been started.
 */
export async function runWorkers(options: ServeOptions): Promise<void> {
  const { BUILT_IN_MODELS } = await import('@model-gateway/core/catalog/built-in-models');
  const { config } = planStart(options, process.env, BUILT_IN_MODELS);
  const { maxConnections } = findSharedStore(options.workers, config);
  const logger = createLogger({ level: options.logLevel, secrets: listSecrets(config) });
  const tooFew = warnOfConnections(maxConnections, options.workers);
  if (tooFew !== undefined) logger.warn(tooFew);
  const port = await findPort(config.server);
  cluster.setupPrimary({
    ...toProgram(),
    ...(port !== undefined && { args: [...toProgram().args, '--port', `${port}`] }),
  });

  const metrics = createMetricsSum({
    own: createProcessMetrics({ version: VERSION }),
    workers: () => pool.listening(),
    setTimer: setUnrefTimer,
  });
  const pool = createWorkerPool({
    count: options.workers,
    fork: startWorker,
    logger,
    now: () => performance.now(),
    setTimer: (callback, delayMs) => void setTimeout(callback, delayMs),
    onListening: announceListening,
    onMessage: metrics.hear,
    onEnd: metrics.noteEnd,
    onFailedStart(code) {
      exit(code === 0 || code === null ? 1 : code);
    },
  });
  const exit = (code: number): void => {
    pool.kill();
    logger.flush();
    process.exit(code);
  };
  stopOnSignals({
    events: process,
    logger,
    limitMs: config.timeouts.drainMs + STOP_MARGIN_MS,
    now: () => performance.now(),
    async stop() {
      if (!(await pool.stop())) throw new StartError('a worker did not end as it should');
    },
    exit,
  });
  // On a terminal it says that the terminal is gone, and ends every process as ever.
  if (!process.stdin.isTTY) process.on('SIGHUP', () => pool.reload());
  pool.start();
}

function setUnrefTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}

/** Throws where the store is none that several processes can use. */
function findSharedStore(workers: number, { store }: GatewayConfig): DatabaseSettings {
  if (store.type === 'postgres') return store;
  const why =
    store.type === 'json'
      ? `only one process can use the JSON-file store in ${store.dir}`
      : `a store ${store.type === 'module' ? 'of your own' : 'in memory'} belongs to one process`;
  throw new UsageError(
    `--workers ${workers} needs a store for several processes, but ${why}.\n` +
      'Name a PostgreSQL database in the config file ("store": { "type": "postgres", "url": "env:DATABASE_URL" }), or omit --workers.',
  );
}

/** A free port where any is wanted: the workers have to agree on one, also when all of them are new. */
async function findPort({ host, port }: GatewayConfig['server']): Promise<number | undefined> {
  if (port !== 0) return undefined;
  const server = createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (cause) {
    const message = await describeListenError(cause, { host, port });
    throw message === undefined ? cause : new StartError(message, { cause });
  }
  const found = (server.address() as AddressInfo).port;
  server.close();
  await once(server, 'close');
  return found;
}

/** How this very program is started again. A single executable is its own script. */
function toProgram(): { readonly exec: string; readonly args: readonly string[] } {
  const isSingle = process.getBuiltinModule('node:sea').isSea();
  const [exec = '', ...args] = process.argv.slice(isSingle ? 2 : 1);
  return { exec, args };
}

/** Starts a process of this program for a place among the workers, as `cluster.setupPrimary` says. */
export function startWorker(place: WorkerPlace): WorkerProcess {
  try {
    return toWorkerProcess(cluster.fork(toWorkerEnvironment(place)));
  } catch (error) {
    return createUnstarted(error as Error);
  }
}

function toWorkerProcess(worker: Worker): WorkerProcess {
  // One that has just died cannot be told anything; its end is reported by itself.
  worker.on('error', () => undefined);
  return {
    pid: worker.process.pid,
    onMessage: (listener) => void worker.on('message', listener),
    onExit: (listener) => void worker.once('exit', listener),
    onFailure(listener) {
      if (worker.process.pid === undefined) worker.once('error', listener);
    },
    send: (message) => void (worker.isConnected() && worker.send(message)),
    kill: (signal) => void worker.process.kill(signal),
  };
}

/** Where the system has no room for another process, or the program is gone. */
const createUnstarted = (error: Error): WorkerProcess => ({
  pid: undefined,
  onMessage: () => undefined,
  onExit: () => undefined,
  onFailure: (listener) => process.nextTick(listener, error),
  send: () => undefined,
  kill: () => undefined,
});
