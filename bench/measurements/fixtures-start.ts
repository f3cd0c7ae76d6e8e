import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { stagePackage } from '../../scripts/stage-packages.ts';
import type { Plan } from '../plan.ts';
import { FIXTURES_START } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, formatTimes, toFigure, toSkippedFigure } from '../report/figure.ts';
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
}

/** As the entries for Vitest, Jest and Playwright load it. */
const KEPT: Double = {
  name: 'fixtures',
  title: 'fixture gateway, compiled code kept',
  cache: fileURLToPath(new URL('../doubles/node_modules/.cache/compiled', import.meta.url)),
};
const OURS: readonly Double[] = [{ name: 'fixtures', title: 'fixture gateway' }, KEPT];
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
  return [...[...taken].flatMap(([double, times]) => toFigures(double, times)), toRatio(taken)];
}

/** Machines differ by a factor of three in this; what they take for both differs less. */
function toRatio(taken: ReadonlyMap<Double, readonly Times[]>): Figure {
  const totalOf = (name: string, cache?: string): number | undefined => {
    const times = [...taken].find(([double]) => double.name === name && double.cache === cache)?.[1];
    return times === undefined ? undefined : median(times.map(({ importMs, startMs }) => importMs + startMs));
  };
  const [own, other] = [totalOf(KEPT.name, KEPT.cache), totalOf('aimock')];
  const subject = 'import and start, compiled code kept, divided by that of aimock';
  const facts = { format: formatTimes, budget: FIXTURES_START };
  return own === undefined || other === undefined
    ? toSkippedFigure(subject, facts)
    : toFigure(subject, { ...facts, gateway: '', value: own / other });
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

function toFigures({ title }: Double, times: readonly Times[]): Figure[] {
  const toTime = (what: string, toMs: (times: Times) => number): Figure => {
    const value = median(times.map(toMs));
    return toFigure(`${title}: ${what}`, { gateway: '', value, format: formatMilliseconds });
  };
  return [
    toTime('import', ({ importMs }) => importMs),
    toTime('start', ({ startMs }) => startMs),
    toTime('import and start', ({ importMs, startMs }) => importMs + startMs),
    toTime('first response', ({ responseMs }) => responseMs),
  ];
}
