// Says whether the tests would notice a mistake: `npm run mutate -- --area routing --sample 40 --seed 1`. Changes one
// place of a product file at a time, runs the tests that may notice, and prints what none of them did. No file of the
// checkout is written: the tests read the mutated module from elsewhere. Programs that tests start run unmutated.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { type Area, AREAS, listSources } from './areas.ts';
import { checkEquivalents, findEquivalent } from './equivalent.ts';
import { applyMutant, findMutants, type Mutant, toDiff } from './find-mutants.ts';
import { type Run, runTests, stopRunning, type Verdict } from './run-tests.ts';
import { takeSample } from './take-sample.ts';

const HELP = `Usage: npm run mutate -- [flags]

  --area NAMES   some areas alone, with commas between them: ${AREAS.map(({ name }) => name).join(', ')}
  --sample N     mutants of each area; 20 by default
  --seed N       which mutants; the time by default. The same are taken again with their seed
  --least N      exit code 1 where fewer than so many percent of an area's are killed; 85 by default
  --steps NAMES  which tests: "near" (those of the file's own name, and those that have killed others of its mutants),
                 "folder" (those of its area), "across" (those of the whole gateway that are about the area), "unit"
                 (all unit tests that load the file), "all" (those of contract, faults and conformance that do). Without
                 it the first three, which take seconds where they kill, and a minute or two where they do not
  --only PLACES  instead of a sample the mutants at file:line, with commas between them
`;

/** A mutant with which tests do not end is killed. */
const STEPS = { near: 120_000, folder: 240_000, across: 400_000, unit: 400_000, all: 900_000 } as const;
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
  /** Places that were left out, as what is listed as equivalent cannot be killed. */
  readonly equivalent: number;
}

interface Killed {
  readonly by: string;
  /** The file with the test, relative to the root; undefined where no test failed, such as at the time limit. */
  readonly test: string | undefined;
}

const { values } = parseArgs({
  options: {
    area: { type: 'string', default: AREAS.map(({ name }) => name).join(',') },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    least: { type: 'string', default: '85' },
    steps: { type: 'string', default: 'near,folder,across' },
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
    checkEquivalents((file) => readFileSync(join(root, file), 'utf8'));
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
  const chosen = choosePlaces(area);
  const places = chosen.filter(({ file, source, mutant }) => findEquivalent(file, source, mutant) === undefined);
  /** The tests that have killed mutants of a file: they are likely to kill the next one. */
  const killersOf = new Map<string, Set<string>>();
  let killed = 0;
  if (places[0] !== undefined) await proveTests(area, places[0].file, folder);
  for (const [index, place] of places.entries()) {
    const { file, source, mutant } = place;
    const killers = killersOf.get(file) ?? new Set();
    killersOf.set(file, killers);
    const began = performance.now();
    const killer = await findKiller(place, { area, steps, killers, folder });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const head = `${area.name} ${index + 1}/${places.length} ${file}:${mutant.line} ${mutant.kind}`;
    if (killer !== undefined) {
      killed += 1;
      if (killer.test !== undefined) killers.add(killer.test);
      console.log(`${head}: killed in ${seconds} s by ${killer.by}`);
    } else {
      console.log(`${head}: SURVIVED, ${seconds} s\n${toDiff(source, mutant).replaceAll(/^/gm, '    ')}`);
    }
  }
  return { area: area.name, mutants: places.length, killed, equivalent: chosen.length - places.length };
}

/** Throws where tests fail by themselves, or do not load what is mutated: no figure would say anything then. */
async function proveTests(area: Area, file: string, folder: string): Promise<void> {
  const tests = testsOf('folder', { area, file });
  if (tests === undefined) throw new Error(`${area.name} has no tests`);
  const unmutated = await runTests({ ...tests, folder });
  if (unmutated.kind !== 'passed') {
    throw new Error(`The tests of ${area.name} do not pass as they are: ${nameOf(unmutated)}`);
  }
  const mutated = { file: join(root, file), source: join(folder, 'mutant.ts') };
  writeFileSync(mutated.source, 'throw new Error();');
  const broken = await runTests({ ...tests, mutated, folder });
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
  { area, steps, killers, folder }: { area: Area; steps: readonly Step[]; killers: Set<string>; folder: string },
): Promise<Killed | undefined> {
  const mutated = { file: join(root, file), source: join(folder, 'mutant.ts') };
  writeFileSync(mutated.source, applyMutant(source, mutant));
  const own = file.replace(/\.ts$/, '.test.ts');
  const near = [...new Set([...(existsSync(join(root, own)) ? [own] : []), ...killers])];
  for (const step of steps) {
    const tests = testsOf(step, { area, file, near });
    if (tests === undefined) continue;
    const verdict = await runTests({ ...tests, mutated, folder });
    if (verdict.kind === 'passed') continue;
    const test = verdict.kind === 'failed' && verdict.file !== undefined ? relative(root, verdict.file) : undefined;
    // Of thousands of tests on sockets one may fail by itself, and any where the machine is too busy: what fails once
    // more does so for the mutant.
    const isSure = verdict.kind === 'failed' && verdict.isLate !== true && (step === 'near' || step === 'folder');
    if (test !== undefined && !isSure) {
      const again = { args: [test], limitMs: STEPS[step], isWithEngines: area.isWithEngines, mutated, folder };
      if ((await runTests(again)).kind === 'passed') continue;
    }
    return { by: `${step}: ${nameOf(verdict)}`, test };
  }
  return undefined;
}

function nameOf(verdict: Verdict): string {
  if (verdict.kind !== 'failed') return 'the time limit';
  if (verdict.by !== undefined) return `"${verdict.by}"`;
  return verdict.file === undefined ? 'a run that failed' : relative(root, verdict.file);
}

function projects(...names: string[]): string[] {
  return names.flatMap((name) => ['--project', name]);
}

/** Each project takes its time to start, so only those of the files are named. */
function projectsOf(files: readonly string[]): string[] {
  const names = files.map((file) => (file.startsWith('packages/') ? 'unit' : (file.split('/')[1] ?? '')));
  return projects(...new Set(names));
}

/** What is run in a step; undefined where no test is known for it. */
function testsOf(
  step: Step,
  { area, file, near = [] }: { area: Area; file: string; near?: readonly string[] },
): Pick<Run, 'args' | 'limitMs' | 'isWithEngines'> | undefined {
  const { tests, across = [], isWithEngines } = area;
  const limitMs = STEPS[step];
  if (step === 'unit') return { args: ['related', file, ...projects('unit')], limitMs };
  if (step === 'all') return { args: ['related', file, ...projects('contract', 'faults', 'conformance')], limitMs };
  const files = { near, folder: tests, across }[step];
  // Without a file it would be all tests there are.
  if (files.length === 0) return undefined;
  return { args: [...projectsOf(files), ...files], limitMs, isWithEngines };
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
  const sum = (count: (score: Score) => number): number => scores.reduce((total, score) => total + count(score), 0);
  const all: Score = {
    area: 'all',
    mutants: sum(({ mutants }) => mutants),
    killed: sum(({ killed }) => killed),
    equivalent: sum(({ equivalent }) => equivalent),
  };
  const rows = [...scores, all].map(
    ({ area, mutants, killed, equivalent }) =>
      `| ${area} | ${mutants} | ${killed} | ${mutants - killed} | ${equivalent} | ${((killed / mutants) * 100).toFixed(0)} |`,
  );
  const head = [
    '| Area | Mutants | Killed | Survived | Equivalent | Percent |',
    '| --- | --: | --: | --: | --: | --: |',
  ];
  return [...head, ...rows, ''].join('\n');
}
