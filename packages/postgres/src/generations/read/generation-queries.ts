import type { GenerationRepository } from '@model-gateway/core';

import { addUpActivity } from './activity.ts';
import { countFacets } from './facets.ts';
import { addUpByTime } from './histogram.ts';
import { pageOfGenerations } from './page.ts';
import { createSnapshot, type ReadConnection } from './reader.ts';
import { scanGenerations } from './scan.ts';
import { pageOfSessions } from './sessions.ts';
import { sortGenerations } from './sorted.ts';

export interface GenerationQueriesOptions {
  readonly connection: ReadConnection;
  /** Resolves once what this process has appended can be read. */
  readonly flush: () => Promise<void>;
  /** Milliseconds. Default: `performance.now`. */
  readonly monotonicNow?: (() => number) | undefined;
}

export type GenerationQueries = Required<
  Pick<GenerationRepository, 'page' | 'sorted' | 'sessions' | 'histogram' | 'scan' | 'facets' | 'activity'>
>;

/** Creates the queries of lists, charts and counts. Each shows what this process has appended before. */
export function createGenerationQueries(options: GenerationQueriesOptions): GenerationQueries {
  const { connection, flush, monotonicNow = () => performance.now() } = options;
  const parts = { snapshot: createSnapshot(connection), monotonicNow };
  const flushed =
    <Query extends unknown[], Result>(read: (...query: Query) => Promise<Result>) =>
    async (...query: Query): Promise<Result> => {
      await flush();
      return read(...query);
    };
  return {
    page: flushed((query) => pageOfGenerations(query, parts)),
    sorted: flushed((query) => sortGenerations(query, parts)),
    sessions: flushed((query) => pageOfSessions(query, parts)),
    histogram: flushed((query) => addUpByTime(query, parts)),
    scan: flushed((query, look) => scanGenerations(query, look, parts)),
    facets: flushed((filter) => countFacets(filter, parts)),
    activity: flushed((query) => addUpActivity(query, parts)),
  };
}
