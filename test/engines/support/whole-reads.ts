import type { Awaitable, GenerationRepository } from '@model-gateway/core';

import { eventually } from './eventually.ts';

/**
 * Reads the same until nothing is left out: on a busy machine, lists and sums are cut where their time is over, and say
 * so.
 */
export function withWholeReads(generations: GenerationRepository): GenerationRepository {
  return {
    ...generations,
    sorted: (query) => readWhole(() => generations.sorted(query)),
    sessions: (query) => readWhole(() => generations.sessions(query)),
    histogram: (query) => readWhole(() => generations.histogram(query)),
    facets: (filter) => readWhole(() => generations.facets(filter)),
  };
}

function readWhole<Result extends { readonly searchedFromMs?: number | undefined }>(
  read: () => Awaitable<Result>,
): Promise<Result> {
  return eventually(async () => {
    const result = await read();
    if (result.searchedFromMs !== undefined) throw new Error('The time was over before all was looked at');
    return result;
  });
}
