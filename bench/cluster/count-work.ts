import { setTimeout as delay } from 'node:timers/promises';

import type { LoadJob } from '../load/load-job.ts';
import { WHOLE_JOB } from '../measurements/compare-load.ts';
import type { Plan } from '../plan.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';
import { textOfStream, TRICKLE } from '../targets/upstream-script.ts';
import type { CountedEngines, Engines, EngineWork } from './engines.ts';

/** How long everything may take to be in the database after the last response. */
const WRITTEN_LIMIT_MS = 30_000;
const SHOWN_STATEMENTS = 8;

/** A hundred streams of a second each. */
const PACED_JOB: Omit<LoadJob, 'port' | 'durationMs'> = {
  script: TRICKLE.name,
  stream: true,
  connections: 100,
  rampMs: TRICKLE.chunks * TRICKLE.intervalMs,
  minBytes: textOfStream(TRICKLE).length,
};

interface Case {
  readonly name: string;
  readonly job: Omit<LoadJob, 'port' | 'durationMs'>;
  readonly isLimited: boolean;
}

const CASES: readonly Case[] = [
  { name: 'full load', job: WHOLE_JOB, isLimited: false },
  { name: 'full load, each call with a budget and a rate limit', job: WHOLE_JOB, isLimited: true },
  { name: '100 streams a second, each with a budget and a rate limit', job: PACED_JOB, isLimited: true },
];

/** Counts what 1,000 requests ask of each engine. Under little load fewer of them share a batch. */
export async function countWork(stage: Stage, plan: Plan, engines: Engines): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const each of CASES) {
    const counted = await engines.openCounted();
    const { upstreamPort } = stage;
    const gateway = await startGateway({ upstreamPort, engines: counted.urls, isLimited: each.isLimited });
    try {
      const run = async (durationMs: number): Promise<number> =>
        (await stage.load.call('run', { ...each.job, port: gateway.port, durationMs })).requests;
      const warmUp = await run(plan.load.warmUpMs);
      await untilWritten(counted, warmUp);
      const before = await counted.readWork();
      const requests = await run(3 * plan.load.roundMs);
      await untilWritten(counted, warmUp + requests);
      const after = await counted.readWork();
      figures.push(...toFigures(each.name, { before, after, thousands: requests / 1000 }));
      showStatements(plan, { before, after, thousands: requests / 1000 });
    } finally {
      await gateway.stop();
    }
  }
  return figures;
}

async function untilWritten(counted: CountedEngines, generations: number): Promise<void> {
  const giveUpAt = performance.now() + WRITTEN_LIMIT_MS;
  for (;;) {
    const written = await counted.countGenerations();
    if (written === generations) return;
    if (written > generations || performance.now() > giveUpAt) {
      throw new Error(`${written} generations are in the database, ${generations} calls were made`);
    }
    await delay(100);
  }
}

interface Span {
  readonly before: EngineWork;
  readonly after: EngineWork;
  readonly thousands: number;
}

function toFigures(load: string, { before, after, thousands }: Span): Figure[] {
  const figure = (what: string, value: number, format: (value: number) => string): Figure =>
    toFigure(`1,000 requests, ${load}: ${what}`, { gateway: format(value), value, format });
  const figures: Figure[] = [];
  for (const [engine, name, unit] of [
    ['postgres', 'PostgreSQL', 'statements'],
    ['redis', 'Redis', 'commands'],
  ] as const) {
    const spent = (field: 'operations' | 'bytes' | 'cpuMs'): number =>
      (after[engine][field] - before[engine][field]) / thousands;
    figures.push(
      figure(`${unit} at ${name}`, spent('operations'), (value) => value.toFixed(value < 10 ? 2 : 0)),
      figure(`bytes to and from ${name}`, spent('bytes'), formatBytes),
      figure(`CPU of ${name}`, spent('cpuMs'), formatMilliseconds),
    );
  }
  figures.push(
    figure('log of changes of PostgreSQL', (after.walBytes - before.walBytes) / thousands, formatBytes),
    figure('disk of PostgreSQL', (after.diskBytes - before.diskBytes) / thousands, formatBytes),
  );
  return figures;
}

const formatBytes = (value: number): string =>
  value < 10_000 ? `${value.toFixed(0)} B` : `${(value / 1000).toFixed(0)} KB`;

function showStatements(plan: Plan, { before, after, thousands }: Span): void {
  const counts = [...after.statements]
    .map(([query, calls]) => ({ query, calls: (calls - (before.statements.get(query) ?? 0)) / thousands }))
    .filter(({ calls }) => calls > 0)
    .toSorted((a, b) => b.calls - a.calls);
  for (const { query, calls } of counts.slice(0, SHOWN_STATEMENTS)) {
    plan.progress(`${calls.toFixed(2)} × ${query.replaceAll(/\s+/g, ' ').slice(0, 100)}`);
  }
}
