// Says whether the tests would notice a mistake: `npm run mutate -- --area routing --sample 40 --seed 1`. Changes one
// place of a product file at a time, runs the tests that may notice, and prints what none of them did. No file of the
// checkout is written: the tests read the mutated module from elsewhere. Programs that tests start run unmutated.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { type Area, AREAS, listSources } from './areas.ts';
import { applyMutant, findMutants, type Mutant, toDiff } from './find-mutants.ts';
import { runTests, stopRunning, type Verdict } from './run-tests.ts';
import { takeSample } from './take-sample.ts';

const HELP = `Usage: npm run mutate -- [flags]

  --area NAMES   some areas alone, with commas between them: ${AREAS.map(({ name }) => name).join(', ')}
  --sample N     mutants of each area; 20 by default
  --seed N       which mutants; the time by default. The same are taken again with their seed
  --least N      exit code 1 where fewer than so many percent of an area's are killed; 85 by default
  --steps NAMES  which tests: "folder", then "unit" (all unit tests that load the file), then "all" (those of contract,
                 faults and conformance that do); all three by default. A survivor of all three takes four minutes
  --only PLACES  instead of a sample the mutants at file:line, with commas between them
`;

/** A mutant with which tests do not end is killed. */
const STEPS = { folder: 90_000, unit: 240_000, all: 600_000 } as const;
type Step = keyof typeof STEPS;

interface Place {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
}

interface Score {
  readonly area: string;
  readonly mutants: number;
  readonly killed: number;
}

const { values } = parseArgs({
  options: {
    area: { type: 'string', default: AREAS.map(({ name }) => name).join(',') },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    least: { type: 'string', default: '85' },
    steps: { type: 'string', default: Object.keys(STEPS).join(',') },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const root = resolve(import.meta.dirname, '../..');
if (values.help) {
  process.stdout.write(HELP);
} else {
  for (const name of ['sample', 'seed', 'least'] as const) {
    if (!(Number(values[name]) >= 0)) throw new Error(`--${name} has to be a number, not ${values[name]}`);
  }
  process.exitCode = await run(readAreas(values.area), readSteps(values.steps));
}

async function run(areas: readonly Area[], steps: readonly Step[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-mutate-'));
  const leave = (): never => {
    stopRunning();
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    const what = values.only ?? `${values.sample} mutants of each area, seed ${values.seed}`;
    console.log(`${what}; tests: ${steps.join(', ')}\n`);
    const scores: Score[] = [];
    for (const area of areas) {
      const score = await tryArea(area, steps, folder);
      if (score.mutants > 0) scores.push(score);
    }
    if (scores.length === 0) throw new Error('No mutant was found there');
    console.log(`\n${toTable(scores)}`);
    return scores.some(({ mutants, killed }) => (killed / mutants) * 100 < Number(values.least)) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryArea(area: Area, steps: readonly Step[], folder: string): Promise<Score> {
  const places = choosePlaces(area);
  let killed = 0;
  if (places[0] !== undefined) await proveTests(area, places[0].file, folder);
  for (const [index, place] of places.entries()) {
    const began = performance.now();
    const killer = await findKiller(place, { area, steps, folder });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const { file, source, mutant } = place;
    const head = `${area.name} ${index + 1}/${places.length} ${file}:${mutant.line} ${mutant.kind}`;
    if (killer !== undefined) {
      killed += 1;
      console.log(`${head}: killed in ${seconds} s by ${killer}`);
    } else {
      console.log(`${head}: SURVIVED, ${seconds} s\n${toDiff(source, mutant).replaceAll(/^/gm, '    ')}`);
    }
  }
  return { area: area.name, mutants: places.length, killed };
}

/** Throws where tests fail by themselves, or do not load what is mutated: no figure would say anything then. */
async function proveTests(area: Area, file: string, folder: string): Promise<void> {
  const unmutated = await runTests({ ...testsOf('folder', area, file), folder });
  if (unmutated.kind !== 'passed') throw new Error(`The tests of ${area.name} do not pass as they are`);
  const mutated = { file: join(root, file), source: join(folder, 'mutant.ts') };
  writeFileSync(mutated.source, 'throw new Error();');
  const broken = await runTests({ ...testsOf('unit', area, file), mutated, folder });
  if (broken.kind === 'passed') throw new Error(`The tests of ${area.name} do not load ${file}`);
}

function choosePlaces(area: Area): readonly Place[] {
  const places = listSources(area, root).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return findMutants(file, source).map((mutant): Place => ({ file, source, mutant }));
  });
  if (values.only === undefined) return takeSample(places, Number(values.sample), Number(values.seed));
  const wanted = new Set(values.only.split(','));
  return places.filter(({ file, mutant }) => wanted.has(`${file}:${mutant.line}`));
}

/** Returns what noticed a mutant, or undefined where nothing did. */
async function findKiller(
  { file, source, mutant }: Place,
  { area, steps, folder }: { area: Area; steps: readonly Step[]; folder: string },
): Promise<string | undefined> {
  const mutated = { file: join(root, file), source: join(folder, 'mutant.ts') };
  writeFileSync(mutated.source, applyMutant(source, mutant));
  for (const step of steps) {
    const verdict = await runTests({ ...testsOf(step, area, file), mutated, folder });
    if (verdict.kind === 'passed') continue;
    // Of thousands of tests on sockets one may fail by itself: what fails once more does so for the mutant.
    if (step !== 'folder' && verdict.kind === 'failed' && verdict.file !== undefined) {
      const again = { args: [relative(root, verdict.file)], limitMs: STEPS[step], mutated, folder };
      if ((await runTests(again)).kind === 'passed') continue;
    }
    return `${step}: ${nameOf(verdict)}`;
  }
  return undefined;
}

function nameOf(verdict: Verdict): string {
  if (verdict.kind !== 'failed') return 'the time limit';
  if (verdict.by !== undefined) return `"${verdict.by}"`;
  return verdict.file === undefined ? 'a run that failed' : relative(root, verdict.file);
}

function testsOf(step: Step, area: Area, file: string): { args: readonly string[]; limitMs: number } {
  const args = {
    folder: ['--project', 'unit', ...area.tests],
    unit: ['related', file, '--project', 'unit'],
    all: ['related', file, '--project', 'contract', '--project', 'faults', '--project', 'conformance'],
  };
  return { args: args[step], limitMs: STEPS[step] };
}

function readAreas(names: string): readonly Area[] {
  return names.split(',').map((name) => {
    const area = AREAS.find((candidate) => candidate.name === name);
    if (area === undefined) throw new Error(`There is no area ${name}; --help lists them`);
    return area;
  });
}

function readSteps(names: string): readonly Step[] {
  const steps = names.split(',');
  const unknown = steps.find((step) => !Object.hasOwn(STEPS, step));
  if (unknown !== undefined) throw new Error(`There is no step ${unknown}; --help lists them`);
  return steps as Step[];
}

function toTable(scores: readonly Score[]): string {
  const rows = scores.map(
    ({ area, mutants, killed }) =>
      `| ${area} | ${mutants} | ${killed} | ${mutants - killed} | ${((killed / mutants) * 100).toFixed(0)} |`,
  );
  return ['| Area | Mutants | Killed | Survived | Percent |', '| --- | --: | --: | --: | --: |', ...rows, ''].join(
    '\n',
  );
}
