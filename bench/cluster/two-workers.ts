import { cpus } from 'node:os';

import { WHOLE_JOB } from '../measurements/compare-load.ts';
import type { Plan } from '../plan.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import { type Figure, formatPercent, formatPerSecond, formatTimes, toFigure } from '../report/figure.ts';
import { watchOthers } from '../report/machine.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import { type Stage, type Target, withChecked } from '../targets/start-targets.ts';
import type { Engines } from './engines.ts';

const WORKERS = 2;

interface Run {
  readonly perSecond: number;
  /** Shares of all CPU time: of the gateway, of upstream, load and engines, and of other programs. */
  readonly gateway: number;
  readonly beside: number;
  readonly others: number;
}

/**
 * Throughput of two workers beside that of one process, by turns. Upstream, load and engines need CPUs as well, so on a
 * small machine the second worker has less than one for itself: the shares tell how much.
 */
export async function measureWorkers(stage: Stage, plan: Plan, engines: Engines): Promise<Figure[]> {
  const start = async (workers: number | undefined): Promise<Target> => {
    const started = await startGateway({ upstreamPort: stage.upstreamPort, engines: await engines.open(), workers });
    return { name: workers === undefined ? 'gateway' : 'workers', ...started };
  };
  const [two, one] = [await start(WORKERS), await start(undefined)];
  const rounds = await withChecked([two, one], async () => {
    const run = (target: Target, durationMs: number): Promise<Run> => runOnce(stage, engines, { target, durationMs });
    for (const target of [two, one]) await run(target, plan.load.warmUpMs);
    const measured: { two: Run; one: Run }[] = [];
    for (let i = 0; i < plan.load.rounds; i += 1) {
      const round = { two: await run(two, plan.load.roundMs), one: await run(one, plan.load.roundMs) };
      measured.push(round);
      plan.progress(
        `${formatPerSecond(round.two.perSecond)} with two workers, ${formatPerSecond(round.one.perSecond)}`,
      );
    }
    return measured;
  });
  const share = (what: string, field: 'gateway' | 'beside' | 'others'): Figure =>
    toFigure(`${WORKERS} workers on ${cpus().length} CPUs: share of the CPU time ${what}`, {
      gateway: formatPercent(median(rounds.map((round) => round.two[field]))),
      proxy: formatPercent(median(rounds.map((round) => round.one[field]))),
      value: median(rounds.map((round) => round.two[field])),
      format: formatPercent,
    });
  return [
    toFigure(`${WORKERS} workers on ${cpus().length} CPUs, not streamed: throughput, against one process`, {
      gateway: formatPerSecond(median(rounds.map((round) => round.two.perSecond))),
      proxy: formatPerSecond(median(rounds.map((round) => round.one.perSecond))),
      value: median(rounds.map((round) => round.two.perSecond / round.one.perSecond)),
      format: formatTimes,
    }),
    share('that the gateway had', 'gateway'),
    share('that upstream, load and engines took', 'beside'),
    share('that other programs took', 'others'),
  ];
}

async function runOnce(
  { load, upstream }: Stage,
  engines: Engines,
  { target, durationMs }: { readonly target: Target; readonly durationMs: number },
): Promise<Run> {
  const cpuMs = (): { gateway: number; beside: number } => ({
    gateway: readProcessStats(target.pid).cpuMs,
    beside: readProcessStats(load.pid).cpuMs + readProcessStats(upstream.pid).cpuMs + engines.readCpuMs(),
  });
  const before = cpuMs();
  const othersShare = watchOthers();
  const startedAt = performance.now();
  const { requests, elapsedMs } = await load.call('run', { ...WHOLE_JOB, port: target.port, durationMs });
  const after = cpuMs();
  const allMs = (performance.now() - startedAt) * cpus().length;
  const gateway = (after.gateway - before.gateway) / allMs;
  const beside = (after.beside - before.beside) / allMs;
  // All of these are children of the bench, so what it does not know of is of others.
  return { perSecond: (requests * 1000) / elapsedMs, gateway, beside, others: othersShare() };
}
