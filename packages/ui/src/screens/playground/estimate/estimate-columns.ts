import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';

import type { Column, Experiment } from '../../../features/playground/experiment.ts';
import { findOpenCalls, isPending, lastCompletion } from '../experiment/edit-turns.ts';
import { toRequest } from '../experiment/to-request.ts';
import { type Estimate, estimateCost } from './estimate-cost.ts';

/**
 * What the next request of each column may cost, by their ids; columns that cannot be sent to are left out. `fit` makes
 * a request fit the limit of the key.
 */
export function estimateColumns(
  experiment: Experiment,
  models: readonly Model[],
  fit: (request: ChatCompletionRequest) => ChatCompletionRequest,
): ReadonlyMap<string, Estimate> {
  const { setup, columns, text, attached } = experiment;
  const isTyped = text.trim() !== '' || attached.length > 0;
  const asked = { type: 'user' as const, id: 'next', text, attached, kept: [] };
  const original = columns.find(({ isOriginal }) => isOriginal);
  const estimate = (column: Column): Estimate | undefined => {
    if (column.isOriginal || findOpenCalls(column.turns).length > 0) return undefined;
    if (!isTyped && !isPending(column)) return undefined;
    const model = models.find(({ id }) => id === column.model);
    const request = toRequest(setup, { ...column, turns: isTyped ? [...column.turns, asked] : column.turns }, model);
    if (typeof request === 'string') return undefined;
    const last = lastCompletion(column.turns) ?? lastCompletion(original?.turns ?? []);
    const fitted = fit(request);
    const estimated = estimateCost(fitted, model?.pricing, last?.outcome?.completionTokens ?? null);
    return fitted === request ? estimated : { ...estimated, fittedTokens: fitted.max_tokens ?? null };
  };
  return new Map(
    columns.flatMap((column) => {
      const found = estimate(column);
      return found === undefined ? [] : [[column.id, found] as const];
    }),
  );
}
