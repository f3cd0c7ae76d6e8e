import { type Experiment, isEmpty, toTitle } from '../../../features/playground/experiment.ts';
import { limitMedia } from './limit-media.ts';

/** An experiment in the list: to read all of each would take long. */
export interface ExperimentSummary {
  readonly id: string;
  readonly title: string;
  readonly isNamed: boolean;
  readonly models: readonly string[];
  readonly turns: number;
  /** ISO 8601. */
  readonly changedAt: string;
}

const DATABASE = 'model-gateway-playground';
const SUMMARIES = 'summaries';
const EXPERIMENTS = 'experiments';
/** Experiments without a name replace one another; with a name they are kept until they are deleted. */
const MAX_UNNAMED = 20;

let opened: Promise<IDBDatabase> | undefined;

function openDatabase(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(SUMMARIES, { keyPath: 'id' });
      request.result.createObjectStore(EXPERIMENTS, { keyPath: 'id' });
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => {
      opened = undefined;
      reject(request.error ?? new Error('The browser does not store data for this page'));
    });
  });
  return opened;
}

/** Resolves when the work has been written, as a whole or not at all. */
async function inTransaction<Result>(
  mode: IDBTransactionMode,
  work: (summaries: IDBObjectStore, experiments: IDBObjectStore) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> {
  const transaction = (await openDatabase()).transaction([SUMMARIES, EXPERIMENTS], mode);
  return await new Promise((resolve, reject) => {
    const request = work(transaction.objectStore(SUMMARIES), transaction.objectStore(EXPERIMENTS));
    transaction.addEventListener('complete', () => resolve(request?.result));
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('The browser could not store it')),
    );
  });
}

/** All of them, those that changed last first. */
export async function listExperiments(): Promise<readonly ExperimentSummary[]> {
  const all = await inTransaction<ExperimentSummary[]>('readonly', (summaries) => summaries.getAll());
  return (all ?? []).toSorted((a, b) => b.changedAt.localeCompare(a.changedAt));
}

export const readExperiment = (id: string): Promise<Experiment | undefined> =>
  inTransaction<Experiment>('readonly', (_, experiments) => experiments.get(id));

/** Keeps an experiment, and resolves with the names of what was too large. An empty one is not kept. */
export async function keepExperiment(experiment: Experiment, changedAt: string): Promise<readonly string[]> {
  if (isEmpty(experiment)) {
    await deleteExperiment(experiment.id);
    return [];
  }
  const { experiment: limited, leftOut } = limitMedia(experiment);
  const summary: ExperimentSummary = {
    id: experiment.id,
    title: toTitle(experiment),
    isNamed: experiment.name !== '',
    models: experiment.columns.map(({ model }) => model),
    turns: Math.max(...experiment.columns.map(({ turns }) => turns.length)),
    changedAt,
  };
  await inTransaction('readwrite', (summaries, experiments) => {
    summaries.put(summary);
    experiments.put(limited);
    // At once, as a page that is left waits for nothing.
    summaries.transaction.commit();
    return undefined;
  });
  for (const { id } of findSurplus(await listExperiments())) await deleteExperiment(id);
  return leftOut;
}

/** A list, the last changed first. */
const findSurplus = (all: readonly ExperimentSummary[]): readonly ExperimentSummary[] =>
  all.filter(({ isNamed }) => !isNamed).slice(MAX_UNNAMED);

export async function deleteExperiment(id: string): Promise<void> {
  await inTransaction('readwrite', (summaries, experiments) => {
    summaries.delete(id);
    experiments.delete(id);
    return undefined;
  });
}
