import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Plan } from '../plan.ts';
import { FIXTURES_START_MS } from '../report/budgets.ts';
import { type Budget, type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import type { Stage } from '../targets/start-targets.ts';
import { installPeer } from './install-peer.ts';

/** What the file in `doubles` prints. */
interface Times {
  readonly importMs: number;
  readonly startMs: number;
  readonly responseMs: number;
}

interface Double {
  /** Its name in that file. */
  readonly name: string;
  /** With its version, for people. */
  readonly title: string;
  /** Its package; undefined for the fixture gateway, which stands in this repository. */
  readonly package?: string;
  readonly budget?: Budget;
}

const OURS: Double = { name: 'fixtures', title: 'fixture gateway', budget: FIXTURES_START_MS };
const OTHERS: readonly Double[] = [
  { name: 'aimock', title: 'aimock', package: '@copilotkit/aimock' },
  { name: 'msw', title: 'msw', package: 'msw' },
  { name: 'nock', title: 'nock', package: 'nock' },
];
const FILE = fileURLToPath(new URL('../doubles/start-double.mjs', import.meta.url));

/**
 * Measures how long the fixture gateway takes until a test has its first response, beside test doubles of other people,
 * by turns and each time in a new process. Those that cannot be installed are left out.
 */
export async function measureFixturesStart(_: Stage, plan: Plan): Promise<Figure[]> {
  const doubles = [OURS, ...(await installOthers(plan))];
  const taken = new Map<Double, Times[]>(doubles.map((double) => [double, []]));
  for (let i = 0; i <= plan.fixturesStarts; i += 1) {
    for (const double of doubles) {
      const times = await start(double);
      // The first round reads the files from the disk.
      if (i > 0) taken.get(double)?.push(times);
    }
  }
  return [...taken].flatMap(([double, times]) => toFigures(double, times));
}

async function installOthers(plan: Plan): Promise<Double[]> {
  const installed: Double[] = [];
  for (const double of OTHERS) {
    try {
      const peer = { name: double.package ?? double.name, folder: 'doubles', entry: 'main' } as const;
      const { version } = await installPeer(peer);
      installed.push({ ...double, title: `${double.title} ${version}` });
    } catch (error) {
      plan.progress(`skipped ${double.title}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return installed;
}

async function start({ name }: Double): Promise<Times> {
  const { stdout } = await promisify(execFile)(process.execPath, [FILE, name]);
  return JSON.parse(stdout) as Times;
}

function toFigures({ title, budget }: Double, times: readonly Times[]): Figure[] {
  const toTime = (what: string, toMs: (times: Times) => number, limit?: Budget): Figure => {
    const value = median(times.map(toMs));
    return toFigure(`${title}: ${what}`, { gateway: '', value, format: formatMilliseconds, budget: limit });
  };
  return [
    toTime('import', ({ importMs }) => importMs),
    toTime('start', ({ startMs }) => startMs),
    toTime('import and start', ({ importMs, startMs }) => importMs + startMs, budget),
    toTime('first response', ({ responseMs }) => responseMs),
  ];
}
