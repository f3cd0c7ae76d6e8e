import type { GenerationHistogram, Model, ModelProviders } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { refreshEvery } from '../../api/queries.ts';
import { DAY_MS } from '../../format/days.ts';

/** Figures of the requests of this gateway to a model, of the last 30 days. */
export interface ModelFigures {
  readonly requests: number;
  readonly usd: number;
  /** Per cent of requests that did not fail; null without requests. */
  readonly uptime: number | null;
  /** Milliseconds to the first token, in the middle. */
  readonly firstToken: number | null;
  /** Tokens a second, in the middle. */
  readonly speed: number | null;
}

/** A model of the list with what is known of its use here. */
export interface ModelRow {
  readonly model: Model;
  readonly figures: ModelFigures | undefined;
  /** Slugs of the providers that serve it; undefined until they are loaded. */
  readonly providers: readonly string[] | undefined;
}

export const FIGURES_DAYS = 30;
const MAX_MODELS = 200;

/** The figures of the models with the most requests, by id. */
export const modelFiguresQuery = queryOptions({
  queryKey: ['model-figures'],
  refetchInterval: refreshEvery(60_000),
  async queryFn({ signal }): Promise<ReadonlyMap<string, ModelFigures>> {
    const query = {
      from: new Date(Date.now() - FIGURES_DAYS * DAY_MS).toISOString(),
      buckets: 1,
      split: 'model',
      parts: MAX_MODELS,
    };
    return toFigures(await callApi<GenerationHistogram>('/admin/v1/generations/histogram', { query, signal }));
  },
});

export function toFigures({ split = [] }: Pick<GenerationHistogram, 'split'>): ReadonlyMap<string, ModelFigures> {
  return new Map(
    split.flatMap(({ value, totals }) => {
      const { requests, failed, cost, first_token_p50: firstToken, tokens_per_second_p50: speed } = totals;
      const uptime = requests === 0 ? null : (1 - failed / requests) * 100;
      return value === null ? [] : [[value, { requests, usd: cost, uptime, firstToken, speed }] as const];
    }),
  );
}

/** Slugs of the providers that serve each model, by id. */
export const modelProvidersQuery = queryOptions({
  queryKey: ['model-providers'],
  refetchInterval: refreshEvery(60_000),
  async queryFn({ signal }): Promise<ReadonlyMap<string, readonly string[]>> {
    const { data } = await callApi<ModelProviders>('/admin/v1/models', { signal });
    return new Map(data.map(({ id, providers }) => [id, providers]));
  },
});
