import { STREAMED_JOB, WHOLE_JOB } from '../measurements/compare-load.ts';
import { takeTurns, type Turns } from '../measurements/take-turns.ts';
import type { Plan } from '../plan.ts';
import { CLUSTER_CPU } from '../report/budgets.ts';
import { type Figure, formatMicroseconds, formatTimes, toFigure } from '../report/figure.ts';
import { mean } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import { type Stage, type Target, withChecked } from '../targets/start-targets.ts';
import { BURST } from '../targets/upstream-script.ts';
import type { Engines } from './engines.ts';

/** A process takes 240 or 300 µs for a stream, by what the engine has optimised first: a single one says little. */
const STARTS = 4;

/** CPU a request of the gateway with PostgreSQL and Redis, and of one with a JSON-file store, by turns, several times. */
export async function compareStores(stage: Stage, plan: Plan, engines: Engines): Promise<Figure[]> {
  const load = { ...plan.load, rounds: Math.max(1, Math.round(plan.load.rounds / STARTS)) };
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
    const whole: Turns[] = [];
    const streamed: Turns[] = [];
    for (let starts = 0; starts < STARTS; starts += 1) {
      const targets = [await start(true), await start(false)];
      await withChecked(targets, async () => {
        whole.push(...(await takeTurns(stage, { ...plan, load }, targets, WHOLE_JOB)));
        if (!isLimited) streamed.push(...(await takeTurns(stage, { ...plan, load }, targets, STREAMED_JOB)));
      });
    }
    const under = isLimited ? ', each call with a budget and a rate limit' : '';
    figures.push(toRatio(`not streamed${under}`, whole));
    if (!isLimited) figures.push(toRatio(`streams of ${BURST.chunks} chunks`, streamed));
  }
  return figures;
}

function toRatio(what: string, turns: readonly Turns[]): Figure {
  const withEngines = mean(turns.map(([cpuUs = 0]) => cpuUs));
  const withFiles = mean(turns.map(([, cpuUs = 0]) => cpuUs));
  return toFigure(`PostgreSQL and Redis, ${what}: CPU a request, against the JSON-file store`, {
    gateway: formatMicroseconds(withEngines),
    proxy: formatMicroseconds(withFiles),
    value: withEngines / withFiles,
    format: formatTimes,
    budget: CLUSTER_CPU,
  });
}
