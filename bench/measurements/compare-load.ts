import type { LoadJob } from '../load/load-job.ts';
import type { Plan } from '../plan.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import { CPU_STREAMED, CPU_WHOLE } from '../report/budgets.ts';
import {
  type Budget,
  type Figure,
  type Format,
  formatMicroseconds,
  formatMilliseconds,
  formatPerSecond,
  formatTimes,
  toFigure,
} from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type Pair, type Stage, type Target, withTargets } from '../targets/start-targets.ts';
import { BURST, textOfStream, WHOLE_TEXT } from '../targets/upstream-script.ts';

/** Measurements of one target in one round. */
export interface Round {
  readonly cpuUs: number;
  /** CPU time of the load generator and the upstream. */
  readonly loadCpuUs: number;
  readonly upstreamCpuUs: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type Job = Omit<LoadJob, 'port' | 'durationMs'>;

interface Kind {
  readonly subject: string;
  readonly job: Job;
  readonly cpuBudget: Budget;
}

/** Whole responses under full load. */
export const WHOLE_JOB: Job = {
  script: BURST.name,
  stream: false,
  connections: 32,
  rampMs: 0,
  minBytes: WHOLE_TEXT.length,
};

/** Streams under full load. */
export const STREAMED_JOB: Job = {
  script: BURST.name,
  stream: true,
  connections: 16,
  rampMs: 0,
  minBytes: textOfStream(BURST).length,
};

const KINDS: Readonly<Record<'whole' | 'streamed', Kind>> = {
  whole: {
    subject: 'not streamed',
    job: WHOLE_JOB,
    cpuBudget: CPU_WHOLE,
  },
  streamed: {
    subject: `streams of ${BURST.chunks} chunks`,
    job: STREAMED_JOB,
    cpuBudget: CPU_STREAMED,
  },
};

/** Sends both targets as much as they can take, by turns, and compares what a request costs them. */
export async function compareLoad(stage: Stage, plan: Plan, kind: keyof typeof KINDS): Promise<Figure[]> {
  const { subject, job, cpuBudget } = KINDS[kind];
  const measured = await withTargets(stage, (targets) => runPairs(stage, plan, { targets, job }));
  const both = measured.flatMap(({ gateway, proxy }) => [gateway, proxy]);
  const loadCpu = formatMicroseconds(median(both.map(({ loadCpuUs }) => loadCpuUs)));
  const upstreamCpu = formatMicroseconds(median(both.map(({ upstreamCpuUs }) => upstreamCpuUs)));
  plan.progress(`CPU a request of the load generator ${loadCpu}, of the upstream ${upstreamCpu}`);
  const compare = (what: string, format: Format, field: keyof Round, budget?: Budget): Figure =>
    toRatio(measured, `${subject}, ${job.connections} connections: ${what}`, { format, field, budget });
  return [
    compare('CPU a request', formatMicroseconds, 'cpuUs', cpuBudget),
    compare('throughput', formatPerSecond, 'perSecond'),
    compare('latency, p50', formatMilliseconds, 'p50Ms'),
    compare('latency, p99', formatMilliseconds, 'p99Ms'),
  ];
}

interface Load {
  readonly targets: Pair<Target>;
  readonly job: Job;
}

/** Sends both targets as much as they can take, by turns, after a turn to warm up. */
export async function runPairs(stage: Stage, plan: Plan, { targets, job }: Load): Promise<Pair<Round>[]> {
  const { rounds, warmUpMs, roundMs } = plan.load;
  await runPair(stage, targets, { ...job, durationMs: warmUpMs });
  const pairs: Pair<Round>[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const pair = await runPair(stage, targets, { ...job, durationMs: roundMs });
    pairs.push(pair);
    plan.progress(describe(pair));
  }
  return pairs;
}

interface RatioFacts {
  readonly format: Format;
  readonly field: keyof Round;
  readonly budget?: Budget | undefined;
}

/** The gateway's figure divided by the other target's. */
export function toRatio(pairs: readonly Pair<Round>[], subject: string, { format, field, budget }: RatioFacts): Figure {
  return toFigure(subject, {
    gateway: format(median(pairs.map(({ gateway }) => gateway[field]))),
    proxy: format(median(pairs.map(({ proxy }) => proxy[field]))),
    value: median(pairs.map(({ gateway, proxy }) => gateway[field] / proxy[field])),
    format: formatTimes,
    budget,
  });
}

async function runPair(
  stage: Stage,
  { proxy, gateway }: Pair<Target>,
  job: Omit<LoadJob, 'port'>,
): Promise<Pair<Round>> {
  const proxyRound = await runRound(stage, proxy, job);
  return { proxy: proxyRound, gateway: await runRound(stage, gateway, job) };
}

/** Sends one target as much as it can take. */
export async function runRound({ load, upstream }: Stage, target: Target, job: Omit<LoadJob, 'port'>): Promise<Round> {
  const readCpuMs = (): number[] => [target, load, upstream].map(({ pid }) => readProcessStats(pid).cpuMs);
  const before = readCpuMs();
  const { requests, elapsedMs, latencyMs } = await load.call('run', { ...job, port: target.port, route: target.route });
  const [cpuUs = 0, loadCpuUs = 0, upstreamCpuUs = 0] = readCpuMs().map(
    (cpuMs, index) => ((cpuMs - (before[index] ?? 0)) * 1000) / requests,
  );
  const perSecond = (requests * 1000) / elapsedMs;
  return { cpuUs, loadCpuUs, upstreamCpuUs, perSecond, p50Ms: latencyMs.p50, p99Ms: latencyMs.p99 };
}

function describe({ gateway, proxy }: Pair<Round>): string {
  const ratio = (gateway.cpuUs / proxy.cpuUs).toFixed(2);
  return `CPU ${formatMicroseconds(gateway.cpuUs)} / ${formatMicroseconds(proxy.cpuUs)} = ${ratio} ×, ${formatPerSecond(gateway.perSecond)} / ${formatPerSecond(proxy.perSecond)}`;
}
