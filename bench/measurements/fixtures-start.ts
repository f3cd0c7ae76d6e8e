import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { stagePackage } from '../../scripts/stage-packages.ts';
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
  /** Where it keeps compiled code for its next start; undefined where it keeps none. */
  readonly cache?: string;
  /** Its package; undefined for the fixture gateway, which is packed for this. */
  readonly package?: string;
  readonly budget?: Budget;
}

const OURS: readonly Double[] = [
  { name: 'fixtures', title: 'fixture gateway' },
  // As the entries for Vitest, Jest and Playwright load it.
  {
    name: 'fixtures',
    title: 'fixture gateway, compiled code kept',
    cache: fileURLToPath(new URL('../doubles/node_modules/.cache/compiled', import.meta.url)),
    budget: FIXTURES_START_MS,
  },
];
const OTHERS: readonly Double[] = [
  { name: 'aimock', title: 'aimock', package: '@copilotkit/aimock' },
  { name: 'msw', title: 'msw', package: 'msw' },
  { name: 'nock', title: 'nock', package: 'nock' },
];
const FILE = fileURLToPath(new URL('../doubles/start-double.mjs', import.meta.url));
const PACKED = fileURLToPath(new URL('../doubles/node_modules/@model-gateway/', import.meta.url));

/**
 * Measures how long the fixture gateway takes until a test has its first response, beside test doubles of other people,
 * by turns and each time in a new process. Those that cannot be installed are left out.
 */
export async function measureFixturesStart(_: Stage, plan: Plan): Promise<Figure[]> {
  const doubles = [...OURS, ...(await installOthers(plan))];
  for (const name of ['core', 'node', 'fixtures'] as const) {
    rmSync(PACKED + name, { recursive: true, force: true });
    await stagePackage(name, PACKED + name);
  }
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

async function start({ name, cache }: Double): Promise<Times> {
  const env = { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) };
  const { stdout } = await promisify(execFile)(process.execPath, [FILE, name], { env });
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
