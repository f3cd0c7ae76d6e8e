import type { GenerationPage, GenerationQuery, GenerationRepository } from '@model-gateway/core';

import type { RoomParts } from '../room.ts';
import { readPage } from './content/read-page.ts';

/** What lists, charts and sums read from the database, without a look at what waits to be written. */
export interface GenerationReads extends Pick<
  GenerationRepository,
  'sorted' | 'sessions' | 'histogram' | 'scan' | 'facets' | 'activity'
> {
  page(query: GenerationQuery): Promise<GenerationPage>;
}

/** What keeps and reads sums and lists. */
export interface GenerationSums {
  readonly reads: GenerationReads;
  /** Statements of the transaction that writes a batch, for the rows of `INCOMING`. */
  readonly rollups: readonly string[];
  /** Drops the sums of the days before one. */
  dropBefore(day: string): Promise<void>;
}

export function createGenerationSums({ connection }: RoomParts): GenerationSums {
  const refuse = (): never => {
    throw new Error('This store has no sums yet');
  };
  return {
    reads: {
      async page(query) {
        return query.filter === undefined ? readPage(connection, query) : refuse();
      },
      sorted: refuse,
      sessions: refuse,
      histogram: refuse,
      scan: refuse,
      facets: refuse,
      activity: refuse,
    },
    rollups: [],
    dropBefore: async () => undefined,
  };
}
