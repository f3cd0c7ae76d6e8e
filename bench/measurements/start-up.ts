import { join } from 'node:path';

import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import { readProcessStats } from '../processes/process-stats.ts';
import { LISTENING_100_000_MS, LISTENING_10_000_MS, PAGE_GROWTH } from '../report/budgets.ts';
import {
  type Budget,
  type Figure,
  formatMegabytes,
  formatMicroseconds,
  formatMilliseconds,
  formatTimes,
  toFigure,
} from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { startGateway } from '../targets/start-gateway.ts';
import type { Stage } from '../targets/start-targets.ts';
import { PAGE_SIZE, storeGenerations, timePages } from './stored-generations.ts';

const BUDGETS: ReadonlyMap<number, Budget> = new Map([
  [10_000, LISTENING_10_000_MS],
  [100_000, LISTENING_100_000_MS],
]);

interface Measured {
  readonly count: number;
  readonly listeningMs: number;
  readonly restMb: number;
  readonly pageMs: number;
}

/** Measures how long the gateway takes to listen, and the store to return a page, with few and many generations. */
export async function measureStartUp(stage: Stage, plan: Plan): Promise<Figure[]> {
  const measured: Measured[] = [];
  for (const count of plan.startUp.sizes) measured.push(await measureSize(stage, plan, count));
  return measured.flatMap((each) => toFigures(each, measured[0]));
}

async function measureSize({ upstreamPort }: Stage, plan: Plan, count: number): Promise<Measured> {
  const dataDir = join(makeTemporaryFolder(), 'data');
  const startedAt = performance.now();
  await storeGenerations(dataDir, count);
  plan.progress(`${toCount(count)} generations stored in ${formatMilliseconds(performance.now() - startedAt)}`);
  const listeningMs: number[] = [];
  const restMb: number[] = [];
  // The first start fills the compile cache, so its time is not counted.
  for (let i = 0; i <= plan.startUp.starts; i += 1) {
    const gateway = await startGateway({ upstreamPort, dataDir });
    if (i > 0) listeningMs.push(gateway.listeningAfterMs);
    restMb.push(readProcessStats(gateway.pid).rssBytes / 1_000_000);
    await gateway.stop();
  }
  plan.progress(`${toCount(count)} generations: listening after ${listeningMs.map(formatMilliseconds).join(', ')}`);
  return {
    count,
    listeningMs: median(listeningMs),
    restMb: median(restMb),
    pageMs: await timePages(dataDir, count),
  };
}

function toFigures({ count, listeningMs, restMb, pageMs }: Measured, smallest: Measured | undefined): Figure[] {
  const stored = `${toCount(count)} stored generations`;
  const page = formatMicroseconds(pageMs * 1000);
  const isSmallest = smallest === undefined || smallest.count === count;
  return [
    toFigure(`${stored}: time to listening`, {
      gateway: formatMilliseconds(listeningMs),
      value: listeningMs,
      format: formatMilliseconds,
      budget: BUDGETS.get(count),
    }),
    toFigure(`${stored}: resident memory when listening`, {
      gateway: formatMegabytes(restMb),
      value: restMb,
      format: formatMegabytes,
    }),
    isSmallest
      ? toFigure(`${stored}: a page of ${PAGE_SIZE}`, {
          gateway: page,
          value: pageMs * 1000,
          format: formatMicroseconds,
        })
      : toFigure(`${stored}: a page of ${PAGE_SIZE}, against ${toCount(smallest.count)}`, {
          gateway: page,
          value: pageMs / smallest.pageMs,
          format: formatTimes,
          budget: PAGE_GROWTH,
        }),
  ];
}

function toCount(count: number): string {
  return count.toLocaleString('en');
}
