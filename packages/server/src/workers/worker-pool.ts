import type { Logger } from '@model-gateway/core';

import type { StarterMessage } from '../process/worker-metrics.ts';
import type { ListeningMessage, StopMessage, WorkerPlace } from '../process/worker-place.ts';

/** The part of a worker's process that the pool uses. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  onMessage(listener: (message: unknown) => void): void;
  onExit(listener: (code: number | null, signal: string | null) => void): void;
  /** Calls back when there is no process, because it could not be started; then it has no exit. */
  onFailure(listener: (error: Error) => void): void;
  send(message: StopMessage | StarterMessage): void;
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGHUP'): void;
}

export interface WorkerPoolOptions {
  readonly count: number;
  readonly fork: (place: WorkerPlace) => WorkerProcess;
  readonly logger: Logger;
  /** Milliseconds on any steady clock. */
  readonly now: () => number;
  readonly setTimer: (callback: () => void, delayMs: number) => void;
  /** Called once, with the address, when all of them listen; one that fails on the way is not waited for. */
  readonly onListening: (url: string) => void;
  /** Called with messages of workers, except that they listen. */
  readonly onMessage?: ((worker: WorkerProcess, message: unknown) => void) | undefined;
  /** Called when a worker has ended, however. */
  readonly onEnd?: ((worker: WorkerProcess) => void) | undefined;
  /** Called when the first worker ends before any has listened, with its exit code. */
  readonly onFailedStart: (code: number | null) => void;
}

export interface WorkerPool {
  start(): void;
  /** Lets open calls end, and resolves when all have ended, with whether each did so as it should. */
  stop(): Promise<boolean>;
  /** Ends at once those that are left. */
  kill(): void;
  /** Lets all read the configuration again. */
  reload(): void;
  /** Workers that listen. */
  listening(): readonly WorkerProcess[];
}

interface Slot {
  readonly number: number;
  process: WorkerProcess | undefined;
  startedAt: number;
  hasListened: boolean;
  /** Whether it may have read the configuration before a reload of which it could not be told. */
  missedReload: boolean;
  /** How often in a row its worker has ended soon. */
  failures: number;
}

/** How a worker has ended: it has exited, or never was. */
type End =
  | { readonly code: number | null; readonly signal: string | null; readonly error?: never }
  | { readonly code?: never; readonly signal?: never; readonly error: Error };

/** A worker that lives shorter than this is not replaced at once again. */
const SOON_MS = 10_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

/**
 * Keeps a number of workers running. The first one starts alone, so that what prevents a start is said once; the others
 * follow when it listens. One that ends is replaced, at once or after a growing wait when it ends again and again.
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { count, fork, logger, now, setTimer } = options;
  const slots = Array.from({ length: count }, (_, index): Slot => {
    return {
      number: index + 1,
      process: undefined,
      startedAt: 0,
      hasListened: false,
      missedReload: false,
      failures: 0,
    };
  });
  let url: string | undefined;
  let isAnnounced = false;
  let isStopping = false;
  let areAllWell = true;
  let onEmpty: (() => void) | undefined;

  const announce = (): void => {
    if (isAnnounced || url === undefined || isStopping || !slots.some(isListening)) return;
    isAnnounced = true;
    options.onListening(url);
  };
  const run = (slot: Slot, isFirst: boolean): void => {
    if (isStopping) return;
    const worker = fork({ slot: slot.number, of: count, isFirst });
    Object.assign(slot, { process: worker, startedAt: now(), hasListened: false, missedReload: false });
    worker.onMessage((message) => {
      if ((message as Partial<ListeningMessage> | null)?.type !== 'listening') {
        options.onMessage?.(worker, message);
        return;
      }
      slot.hasListened = true;
      if (slot.missedReload) worker.kill('SIGHUP');
      if (url === undefined) {
        ({ url } = message as ListeningMessage);
        for (const other of slots.slice(1)) run(other, true);
      }
      if (slots.every(isListening)) announce();
    });
    worker.onExit((code, signal) => onEnd(slot, { code, signal }));
    worker.onFailure((error) => onEnd(slot, { error }));
  };
  const onEnd = (slot: Slot, end: End): void => {
    const pid = slot.process?.pid;
    if (slot.process !== undefined) options.onEnd?.(slot.process);
    slot.process = undefined;
    if (isStopping) {
      areAllWell &&= isGoodEnd(slot, end);
      if (slots.every(({ process }) => process === undefined)) onEmpty?.();
      return;
    }
    if (url === undefined) {
      const { code = null } = end;
      // With another code, it has said itself what is wrong.
      if (code === null || code === 0) logger.error('the first worker has ended before it listened', end);
      return options.onFailedStart(code);
    }
    announce();
    const isSoon = !slot.hasListened || now() - slot.startedAt < SOON_MS;
    slot.failures = isSoon ? slot.failures + 1 : 0;
    const waitMs = isSoon ? Math.min(FIRST_WAIT_MS * 2 ** (slot.failures - 1), LONGEST_WAIT_MS) : 0;
    const what = 'error' in end ? 'a worker could not be started' : 'a worker has ended';
    logger.error(`${what}; starting a replacement`, { worker: slot.number, pid, waitMs, ...end });
    if (waitMs === 0) run(slot, false);
    else setTimer(() => run(slot, false), waitMs);
  };
  const living = (): { slot: Slot; process: WorkerProcess }[] =>
    slots.flatMap((slot) => (slot.process === undefined ? [] : [{ slot, process: slot.process }]));

  return {
    start() {
      const [first] = slots;
      if (first !== undefined) run(first, true);
    },
    stop() {
      isStopping = true;
      return new Promise((resolve) => {
        onEmpty = () => resolve(areAllWell);
        const left = living();
        if (left.length === 0) resolve(true);
        for (const { slot, process } of left) {
          // One that does not listen yet may not hear messages either.
          if (slot.hasListened) process.send({ type: 'stop' });
          else process.kill('SIGTERM');
        }
      });
    },
    kill() {
      for (const { process } of living()) process.kill('SIGKILL');
    },
    reload() {
      for (const { slot, process } of living()) {
        if (slot.hasListened) process.kill('SIGHUP');
        else slot.missedReload = true;
      }
    },
    listening: () => living().flatMap(({ slot, process }) => (slot.hasListened ? [process] : [])),
  };
}

const isListening = ({ process, hasListened }: Slot): boolean => process !== undefined && hasListened;

/** Whether a worker that was to stop has done so. During its start, a signal ends it before it can do so by itself. */
const isGoodEnd = ({ hasListened }: Slot, { code, signal, error }: End): boolean =>
  code === 0 || error !== undefined || (!hasListened && (signal === 'SIGTERM' || signal === 'SIGINT'));
