import type { GenerationPage, GenerationQuery, GenerationRepository } from '@model-gateway/core';

import { addUpActivity } from './activity.ts';
import { countFacets } from './facets.ts';
import { addUpByTime } from './histogram.ts';
import { pageOfGenerations, sortGenerations } from './pages.ts';
import { createSnapshot, type ReadConnection } from './reader.ts';
import { scanGenerations } from './search.ts';
import { pageOfSessions } from './sessions.ts';

/** What lists, charts and sums read from the database, without a look at what waits to be written. */
export interface GenerationReads extends Pick<
  GenerationRepository,
  'sorted' | 'sessions' | 'histogram' | 'scan' | 'facets' | 'activity'
> {
  page(query: GenerationQuery): Promise<GenerationPage>;
}

interface GenerationQueriesOptions {
  readonly connection: ReadConnection;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds. Default: `performance.now`. */
  readonly monotonicNow?: (() => number) | undefined;
}

/** Creates the queries of lists, charts and counts. */
export function createGenerationQueries({
  connection,
  now,
  monotonicNow = () => performance.now(),
}: GenerationQueriesOptions): GenerationReads {
  const parts = { snapshot: createSnapshot(connection, monotonicNow), monotonicNow, now };
  return {
    page: (query) => pageOfGenerations(query, parts),
    sorted: (query) => sortGenerations(query, parts),
    sessions: (query) => pageOfSessions(query, parts),
    histogram: (query) => addUpByTime(query, parts),
    scan: (query, look) => scanGenerations(query, look, parts),
    facets: (filter) => countFacets(filter, parts),
    activity: (query) => addUpActivity(query, parts),
  };
}
