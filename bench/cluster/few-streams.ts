import type { Distribution, LoadJob } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { FIRST_TOKEN_P50_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import { type Pair, type Stage, startProxyTarget, type Target, withChecked } from '../targets/start-targets.ts';
import { textOfStream, TRICKLE } from '../targets/upstream-script.ts';
import type { Engines } from './engines.ts';

const STREAMS = 10;

/** How much later than through the bare proxy the first token comes, with few streams, a budget and a rate limit. */
export async function measureFewStreams(stage: Stage, plan: Plan, engines: Engines): Promise<Figure[]> {
  const rampMs = TRICKLE.chunks * TRICKLE.intervalMs;
  const job: Omit<LoadJob, 'port'> = {
    script: TRICKLE.name,
    stream: true,
    connections: STREAMS,
    rampMs,
    durationMs: rampMs + plan.firstToken.roundMs,
    minBytes: textOfStream(TRICKLE).length,
  };
  const { upstreamPort } = stage;
  const started = await startGateway({ upstreamPort, engines: await engines.open(), isLimited: true });
  const gateway: Target = { name: 'gateway', ...started };
  const proxy = await startProxyTarget(stage);
  const run = async ({ port }: Target): Promise<Distribution> =>
    (await stage.load.call('run', { ...job, port })).firstEventMs;
  const rounds = await withChecked([gateway, proxy], async () => {
    const measured: Pair<Distribution>[] = [];
    for (let i = 0; i < plan.firstToken.rounds; i += 1) {
      measured.push({ proxy: await run(proxy), gateway: await run(gateway) });
    }
    return measured;
  });
  const compare = (field: keyof Distribution): Figure =>
    toFigure(`PostgreSQL and Redis, ${STREAMS} slow streams: added time to first token, ${field}`, {
      gateway: formatMilliseconds(median(rounds.map((round) => round.gateway[field]))),
      proxy: formatMilliseconds(median(rounds.map((round) => round.proxy[field]))),
      value: median(rounds.map((round) => round.gateway[field] - round.proxy[field])),
      format: formatMilliseconds,
      budget: field === 'p50' ? FIRST_TOKEN_P50_MS : undefined,
    });
  return [compare('p50'), compare('p99')];
}
