import type { Distribution, LoadJob } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { FIRST_TOKEN_P50_MS, FIRST_TOKEN_P99_MS } from '../report/budgets.ts';
import { type Budget, type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Pair, type Stage, withTargets } from '../targets/start-targets.ts';
import { textOfStream, TRICKLE } from '../targets/upstream-script.ts';

const STREAMS = 100;

/**
 * Measures how much later than through the bare proxy the first token comes, with many slow streams under way. The
 * streams begin one after the other, spread over the time that one takes, and so do all that follow.
 */
export async function measureFirstToken(stage: Stage, plan: Plan): Promise<Figure[]> {
  const rampMs = TRICKLE.chunks * TRICKLE.intervalMs;
  const job: Omit<LoadJob, 'port'> = {
    script: TRICKLE.name,
    stream: true,
    connections: STREAMS,
    rampMs,
    durationMs: rampMs + plan.firstToken.roundMs,
    minBytes: textOfStream(TRICKLE).length,
  };
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
