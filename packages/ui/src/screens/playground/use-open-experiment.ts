import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

import { queryClient } from '../../api/query-client.ts';
import { contentQuery, generationQuery } from '../../features/generations/content/generation-queries.ts';
import { requestQuery } from '../../features/generations/content/request-query.ts';
import { splitWords } from '../../features/models/model-search.ts';
import { type Experiment, MAX_COLUMNS, newExperiment } from '../../features/playground/experiment.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { fromGenerations } from './experiment/from-generation.ts';
import { keepExperiment, readExperiment } from './experiments/experiment-database.ts';
import { createExperimentStore, type ExperimentStore } from './experiments/experiment-store.ts';
import type { PlaygroundSearch } from './playground-search.ts';

/** The experiment that this tab had open last. */
const LAST = 'model-gateway.playground-experiment';
/** The models of its columns: what has been chosen is there again, although an empty experiment is not kept. */
const LAST_MODELS = 'model-gateway.playground-models';
export const newId = (): string => crypto.randomUUID();

export const rememberModels = (models: string): void => sessionStorage.setItem(LAST_MODELS, models);

interface Opened {
  readonly store: ExperimentStore | undefined;
  readonly error: unknown;
  readonly open: (experiment: Experiment) => void;
}

/**
 * The experiment that the address names: one that is kept, one of recorded calls, or a new one with its models. Without
 * any of these it is the one that this tab had open last.
 */
export function useOpenExperiment(firstModel: string): Opened {
  const search: PlaygroundSearch = useSearch({ from: '/playground' });
  const navigate = useNavigateWithin('/playground');
  const [store, setStore] = useState<ExperimentStore>();
  const [error, setError] = useState<unknown>(null);
  /** Shown as soon as the address names it. */
  const next = useRef<Experiment>(undefined);
  const show = (experiment: Experiment): void => {
    next.current = experiment;
    void navigate({ search: { models: toModels(experiment), open: experiment.id }, replace: true });
  };
  const { from, open, models } = search;
  const isShown = from === undefined && open !== undefined && open === store?.getState().id;
  useEffect(() => {
    if (isShown) return;
    let isLeft = false;
    const begin = (experiment: Experiment, isKept: boolean): void => {
      sessionStorage.setItem(LAST, experiment.id);
      setError(null);
      const begun = createExperimentStore(experiment, (due) => keepExperiment(due, new Date().toISOString()));
      if (!isKept) {
        begun.update((before) => ({ ...before }));
        void begun.flush();
      }
      setStore(begun);
    };
    void (async () => {
      try {
        const { current } = next;
        if (from === undefined && open !== undefined && current?.id === open) return begin(current, false);
        // A browser that keeps nothing begins again.
        const kept =
          from === undefined && open !== undefined ? await readExperiment(open).catch(() => undefined) : undefined;
        if (isLeft) return;
        if (kept !== undefined) return begin(kept, true);
        const made = await make({ ...(from && { from }), ...(models && { models }) }, open === undefined, firstModel);
        if (!isLeft) show(made);
      } catch (failure) {
        if (!isLeft) setError(failure);
      }
    })();
    return () => {
      isLeft = true;
    };
    // Not when its models change: those of an experiment on the screen follow it.
  }, [isShown, from, open]);
  return { store: isShown ? store : undefined, error, open: show };
}

export const toModels = ({ columns }: Experiment): string =>
  columns
    .filter(({ isOriginal }) => !isOriginal)
    .map(({ model }) => model)
    .join(',');

async function make({ from, models }: PlaygroundSearch, isResumed: boolean, firstModel: string): Promise<Experiment> {
  if (from !== undefined) {
    const ids = splitWords(from).slice(0, MAX_COLUMNS - 1);
    return fromGenerations(await Promise.all(ids.map(readRecorded)), newId);
  }
  const chosen = splitWords(models);
  if (chosen.length > 0) return newExperiment(chosen, newId);
  const last = isResumed ? sessionStorage.getItem(LAST) : null;
  const kept = last === null ? undefined : await readExperiment(last).catch(() => undefined);
  if (kept !== undefined) return kept;
  const before = isResumed ? splitWords(sessionStorage.getItem(LAST_MODELS) ?? undefined) : [];
  return newExperiment(before.length > 0 ? before : [firstModel], newId);
}

async function readRecorded(id: string) {
  const [generation, content, request] = await Promise.all([
    queryClient.fetchQuery(generationQuery(id)),
    queryClient.fetchQuery(contentQuery(id)),
    queryClient.fetchQuery(requestQuery(id)),
  ]);
  return { generation, content, request };
}
