import { STREAMED_JOB, WHOLE_JOB } from '../measurements/compare-load.ts';
import { takeTurns } from '../measurements/take-turns.ts';
import type { Plan } from '../plan.ts';
import { CLUSTER_CPU } from '../report/budgets.ts';
import { type Figure, formatMicroseconds, formatTimes, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import { type Stage, type Target, withChecked } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import type { Engines } from './engines.ts';

/** CPU a request of the gateway with PostgreSQL and Redis, and of one with a JSON-file store, by turns. */
export async function compareStores(stage: Stage, plan: Plan, engines: Engines): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const isLimited of [false, true]) {
    const start = async (hasEngines: boolean): Promise<Target> => ({
      name: 'gateway',
      ...(await startGateway({
        upstreamPort: stage.upstreamPort,
        engines: hasEngines ? await engines.open() : undefined,
        isLimited,
      })),
    });
    const targets = [await start(true), await start(false)];
    const under = isLimited ? ', each call with a budget and a rate limit' : '';
    figures.push(
      ...(await withChecked(targets, async () => [
        toRatio(`not streamed${under}`, await takeTurns(stage, plan, targets, WHOLE_JOB)),
        ...(isLimited
          ? []
          : [toRatio(`streams of ${BURST.chunks} chunks`, await takeTurns(stage, plan, targets, STREAMED_JOB))]),
      ])),
    );
  }
  return figures;
}

function toRatio(what: string, rounds: readonly (readonly number[])[]): Figure {
  const pairs = rounds.map(([withEngines = 0, withFiles = 0]) => ({ withEngines, withFiles }));
  return toFigure(`PostgreSQL and Redis, ${what}: CPU a request, against the JSON-file store`, {
    gateway: formatMicroseconds(median(pairs.map(({ withEngines }) => withEngines))),
    proxy: formatMicroseconds(median(pairs.map(({ withFiles }) => withFiles))),
    value: median(pairs.map(({ withEngines, withFiles }) => withEngines / withFiles)),
    format: formatTimes,
    budget: CLUSTER_CPU,
  });
}
