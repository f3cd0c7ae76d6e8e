import type { Plan } from '../plan.ts';
import { AFTER_REST_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Stage, type Target, withTargets } from '../targets/start-targets.ts';
import { type Job, WHOLE_JOB } from './compare-load.ts';

const BURSTS = { requests: 25, restMs: 60 };

/** The mean of a call, in milliseconds. */
interface Latencies {
  readonly steady: number;
  readonly afterRest: number;
}

/** Measures what a call costs that comes when the gateway has just had nothing to do. */
export async function measureAfterRest(stage: Stage, plan: Plan): Promise<Figure[]> {
  const { rounds, warmUpMs, roundMs } = plan.load;
  const job: Job = { ...WHOLE_JOB, connections: 1 };
  const take = async ({ port }: Target, durationMs: number): Promise<Latencies> => {
    const steady = await stage.load.call('run', { ...job, port, durationMs });
    const afterRest = await stage.load.call('run', { ...job, port, durationMs, bursts: BURSTS });
    return { steady: steady.latencyMs.mean, afterRest: afterRest.latencyMs.mean };
  };
  return withTargets(stage, async ({ gateway, proxy }) => {
    for (const target of [proxy, gateway]) await take(target, warmUpMs);
    const ofProxy: Latencies[] = [];
    const ofGateway: Latencies[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const one = await take(proxy, roundMs);
      const other = await take(gateway, roundMs);
      ofProxy.push(one);
      ofGateway.push(other);
      plan.progress(`steady and after a rest: ${describe(other)} / ${describe(one)}`);
    }
    const added = (taken: readonly Latencies[]): number =>
      median(taken.map(({ steady, afterRest }) => afterRest - steady));
    return [
      toFigure(`bursts of ${BURSTS.requests} calls after ${BURSTS.restMs} ms of rest: added to the latency of a call`, {
        gateway: formatMilliseconds(added(ofGateway)),
        proxy: formatMilliseconds(added(ofProxy)),
        value: added(ofGateway),
        format: formatMilliseconds,
        budget: AFTER_REST_MS,
      }),
    ];
  });
}

const describe = ({ steady, afterRest }: Latencies): string =>
  `${formatMilliseconds(steady)}, ${formatMilliseconds(afterRest)}`;
