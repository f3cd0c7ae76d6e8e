import type { Exposition } from '@model-gateway/core';

import { addEnded, type MetricFigures, type ProcessMetrics, toExposition } from './process-metrics.ts';

/** Messages of a worker to the process that has started it. */
type WorkerMessage =
  | { readonly type: 'metrics-wanted'; readonly id: number }
  | { readonly type: 'metrics-read'; readonly round: number; readonly figures: readonly MetricFigures[] };

/** Messages of that process to a worker. */
export type StarterMessage =
  | { readonly type: 'metrics-asked'; readonly round: number }
  | { readonly type: 'metrics-sum'; readonly id: number; readonly exposition: Exposition };

/** A worker as this file sees it. */
export interface MetricsWorker {
  send(message: StarterMessage): void;
}

/** The sum over all workers, in the process that has started them. */
export interface MetricsSum {
  /** Takes a message of a worker; those of other kinds are left alone. */
  hear(worker: MetricsWorker, message: unknown): void;
  /** Keeps the last counters of a worker that has ended. */
  noteEnd(worker: MetricsWorker): void;
}

export interface MetricsSumOptions {
  /** The figures of this process. */
  readonly own: Pick<ProcessMetrics, 'read'>;
  /** The workers that listen. */
  readonly workers: () => readonly MetricsWorker[];
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** Time for the others to send their figures; the last ones count for a worker that does not. */
const ROUND_LIMIT_MS = 1000;
/** For the sum to come; without it, a worker shows its own figures. */
const SUM_LIMIT_MS = 3000;

export function createMetricsSum({ own, workers, setTimer }: MetricsSumOptions): MetricsSum {
  const last = new Map<MetricsWorker, readonly MetricFigures[]>();
  const gone = new WeakSet<MetricsWorker>();
  let ended: Promise<readonly MetricFigures[]> = Promise.resolve([]);
  let ends = 0;
  let round = 0;
  let missing = new Set<MetricsWorker>();
  let onComplete: (() => void) | undefined;
  let collecting: Promise<Exposition> | undefined;

  const note = (worker: MetricsWorker): void => {
    missing.delete(worker);
    if (missing.size === 0) onComplete?.();
  };
  const collect = async (): Promise<Exposition> => {
    round += 1;
    const asked = workers();
    missing = new Set(asked);
    const answered = new Promise<void>((resolve) => {
      const cancel = setTimer(resolve, ROUND_LIMIT_MS);
      onComplete = () => {
        cancel();
        resolve();
      };
    });
    for (const worker of asked) worker.send({ type: 'metrics-asked', round });
    if (asked.length > 0) await answered;
    const workersNow = { ...OF_WORKERS, values: [{ value: asked.length, labels: {} }] };
    const endsNow = { ...OF_ENDS, values: [{ value: ends, labels: {} }] };
    return toExposition([[workersNow, endsNow], await ended, ...last.values(), await own.read()]);
  };
  const answer = async (worker: MetricsWorker, id: number): Promise<void> => {
    collecting ??= collect().finally(() => (collecting = undefined));
    worker.send({ type: 'metrics-sum', id, exposition: await collecting });
  };
  return {
    hear(worker, message) {
      const told = message as WorkerMessage | null;
      if (gone.has(worker)) return;
      // Without an answer, the worker shows what it has itself.
      if (told?.type === 'metrics-wanted') answer(worker, told.id).catch(() => undefined);
      if (told?.type !== 'metrics-read') return;
      last.set(worker, told.figures);
      if (told.round === round) note(worker);
    },
    noteEnd(worker) {
      ends += 1;
      gone.add(worker);
      const figures = last.get(worker);
      last.delete(worker);
      if (figures !== undefined) ended = ended.then((before) => addEnded(before, figures));
      note(worker);
    },
  };
}

const OF_WORKERS = {
  name: 'model_gateway_workers',
  help: 'Processes that serve, beside the one that has started them',
  type: 'gauge',
  aggregator: 'sum',
};
const OF_ENDS = {
  name: 'model_gateway_worker_ends_total',
  help: 'Workers that ended while serve went on',
  type: 'counter',
  aggregator: 'sum',
};

export interface WorkerMetricsOptions {
  /** The figures of this worker. */
  readonly own: Pick<ProcessMetrics, 'read'>;
  readonly send: (message: WorkerMessage) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** Tells the figures of a worker when they are asked for. Returns what reads the sum over all workers. */
export function shareMetrics({ own, send, onMessage, setTimer }: WorkerMetricsOptions): () => Promise<Exposition> {
  const waiting = new Map<number, (sum: Exposition | undefined) => void>();
  let lastId = 0;
  const tell = async (round: number): Promise<void> => {
    send({ type: 'metrics-read', round, figures: await own.read() });
  };
  onMessage((message) => {
    const told = message as StarterMessage | null;
    if (told?.type === 'metrics-asked') tell(told.round).catch(() => undefined);
    if (told?.type === 'metrics-sum') waiting.get(told.id)?.(told.exposition);
  });
  return async () => {
    lastId += 1;
    const id = lastId;
    const sum = await new Promise<Exposition | undefined>((resolve) => {
      const cancel = setTimer(() => resolve(undefined), SUM_LIMIT_MS);
      waiting.set(id, (found) => {
        cancel();
        resolve(found);
      });
      send({ type: 'metrics-wanted', id });
    });
    waiting.delete(id);
    // The process that has started this one may be gone.
    return sum ?? toExposition([await own.read()]);
  };
}
