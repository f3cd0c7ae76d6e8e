import type { Plan } from '../plan.ts';
import { CLUSTER_CPU } from '../report/budgets.ts';
import { type Figure, formatTimes, toSkippedFigure } from '../report/figure.ts';
import type { Stage } from '../targets/start-targets.ts';
import { compareStores } from './compare-stores.ts';
import { countWork } from './count-work.ts';
import { type Engines, startEngines } from './engines.ts';
import { measureFewStreams } from './few-streams.ts';
import { measureWorkers } from './two-workers.ts';

/**
 * Measures what it costs to be one of several: the gateway with PostgreSQL and Redis beside the gateway with a JSON-file
 * store, and what it asks of the two. Where this machine has no such servers, the only figure says so.
 */
export async function measureCluster(stage: Stage, plan: Plan): Promise<Figure[]> {
  let engines: Engines;
  try {
    engines = await startEngines();
  } catch (error) {
    plan.progress(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    const subject = 'PostgreSQL and Redis, not streamed: CPU a request, against the JSON-file store';
    return [toSkippedFigure(subject, { budget: CLUSTER_CPU, format: formatTimes })];
  }
  try {
    return [
      ...(await compareStores(stage, plan, engines)),
      ...(await measureFewStreams(stage, plan, engines)),
      ...(await measureWorkers(stage, plan, engines)),
      ...(await countWork(stage, plan, engines)),
    ];
  } finally {
    await engines.remove();
  }
}
