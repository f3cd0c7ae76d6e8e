import type { Distribution } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { FIRST_TOKEN_P50_MS, FIRST_TOKEN_P99_MS } from '../report/budgets.ts';
import { type Budget, type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Pair, type Stage, withTargets } from '../targets/start-targets.ts';
import { textOfStream, TRICKLE } from '../targets/upstream-script.ts';
import type { Job } from './compare-load.ts';

const STREAMS = 100;
/**
 * Between the starts of two streams. No fraction of the time between two tokens: with one, the streams would write their
 * tokens in step, and a first token would wait for a quarter of them or for none.
 */
const SPACING_MS = 13.7;

/** Slow streams that begin one after the other, spread over more than the time that one takes, like all that follow. */
export const SLOW_STREAMS: Job = {
  script: TRICKLE.name,
  stream: true,
  connections: STREAMS,
  rampMs: STREAMS * SPACING_MS,
  minBytes: textOfStream(TRICKLE).length,
};

/** Measures how much later than through the bare proxy the first token comes, with many slow streams under way. */
export async function measureFirstToken(stage: Stage, plan: Plan): Promise<Figure[]> {
  const job = { ...SLOW_STREAMS, durationMs: SLOW_STREAMS.rampMs + plan.firstToken.roundMs };
  const rounds = await withTargets(stage, async ({ gateway, proxy }) => {
    const measured: Pair<Distribution>[] = [];
    for (let i = 0; i < plan.firstToken.rounds; i += 1) {
      const ofProxy = await stage.load.call('run', { ...job, port: proxy.port });
      const ofGateway = await stage.load.call('run', { ...job, port: gateway.port });
      const pair = { gateway: ofGateway.firstEventMs, proxy: ofProxy.firstEventMs };
      measured.push(pair);
      plan.progress(`first token, p50 and p99: ${describe(pair.gateway)} / ${describe(pair.proxy)}`);
    }
    return measured;
  });
  const compare = (field: keyof Distribution, budget: Budget): Figure =>
    toFigure(`${STREAMS} slow streams: added time to first token, ${field}`, {
      gateway: formatMilliseconds(median(rounds.map(({ gateway }) => gateway[field]))),
      proxy: formatMilliseconds(median(rounds.map(({ proxy }) => proxy[field]))),
      value: median(rounds.map(({ gateway, proxy }) => gateway[field] - proxy[field])),
      format: formatMilliseconds,
      budget,
    });
  return [compare('p50', FIRST_TOKEN_P50_MS), compare('p99', FIRST_TOKEN_P99_MS)];
}

function describe({ p50, p99 }: Distribution): string {
  return `${formatMilliseconds(p50)}, ${formatMilliseconds(p99)}`;
}
