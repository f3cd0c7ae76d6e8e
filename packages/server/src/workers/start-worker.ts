import cluster, { type Worker } from 'node:cluster';
import process from 'node:process';

import { toWorkerEnvironment, type WorkerPlace } from './worker-place.ts';
import type { WorkerProcess } from './worker-pool.ts';

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
