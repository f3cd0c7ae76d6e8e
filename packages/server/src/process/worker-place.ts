import type { Cluster, Worker } from 'node:cluster';
import process from 'node:process';

import type { ProcessEvents } from './signals.ts';

/** Which of the workers of one `serve` a process is. */
export interface WorkerPlace {
  /** From 1 on. A worker that takes the place of another has its number, and so what that one has left. */
  readonly slot: number;
  /** How many workers there are. */
  readonly of: number;
  /** Whether no other has had this place before. */
  readonly isFirst: boolean;
}

/** The place of a process without other workers. */
export const ALONE: WorkerPlace = { slot: 1, of: 1, isFirst: true };

/** Messages of a worker to the process that has started it. */
export interface ListeningMessage {
  readonly type: 'listening';
  readonly url: string;
}

/** Messages of that process to a worker. */
export interface StopMessage {
  readonly type: 'stop';
}

const PLACE_VARIABLE = 'MODEL_GATEWAY_WORKER';

/** The environment by which a new worker knows its place. */
export const toWorkerEnvironment = (place: WorkerPlace): Record<string, string> => ({
  [PLACE_VARIABLE]: JSON.stringify(place),
});

/** The place of this process. Null where it is none of the workers. */
export function findWorkerPlace(): WorkerPlace | null {
  const text = process.env[PLACE_VARIABLE];
  return text === undefined || findWorker() === undefined ? null : (JSON.parse(text) as WorkerPlace);
}

/**
 * Keeps this worker running when the process that started it is gone, at which Node would end it at once, so that its
 * open calls can end. Only for one that already listens for that: nothing would end an earlier one.
 */
export function outliveStarter(): void {
  const worker = findWorker();
  if (worker !== undefined) worker.exitedAfterDisconnect = true;
}

/** Undefined in another process. The types know a built-in module as an import alone, with a default. */
const findWorker = (): Worker | undefined => (process.getBuiltinModule('node:cluster') as unknown as Cluster).worker;

/** Tells the process that has started this worker that it serves. */
export function tellListening(url: string): void {
  const message: ListeningMessage = { type: 'listening', url };
  process.send?.(message);
}

/**
 * The events that stop a worker, once: when the process that started it says so or is gone, and SIGTERM. A Ctrl-C is left
 * to that process, which gets it too.
 */
export function toWorkerEvents(events: ProcessEvents): ProcessEvents {
  return {
    on(event, listener) {
      if (event === 'SIGINT') return events.on('SIGINT', () => undefined);
      if (event !== 'SIGTERM') return events.on(event, listener);
      let isStopping = false;
      const stop = (): void => {
        if (!isStopping) listener(undefined);
        isStopping = true;
      };
      events.on('SIGTERM', stop);
      events.on('disconnect', stop);
      return events.on('message', (message) => {
        if ((message as Partial<StopMessage> | null)?.type === 'stop') stop();
      });
    },
  };
}

/** Says in one line on stdout that calls are taken, for programs that have started this one. */
export function announceListening(url: string): void {
  process.stdout.write(`${JSON.stringify({ event: 'listening', url, api: `${url}/api/v1` })}\n`);
}
