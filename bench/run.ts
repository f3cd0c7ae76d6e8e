import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { type BenchOptions, HELP, parseBenchOptions, type Part, TABLES } from './bench-options.ts';
import { measureCluster } from './cluster/cluster.ts';
import { measureDesktop } from './desktop/desktop.ts';
import { measureAfterRest } from './measurements/after-rest.ts';
import { AGAINST_TITLES, measureAgainst } from './measurements/against.ts';
import { measureBinary } from './measurements/binary.ts';
import { measureCacheHits } from './measurements/cache-hits.ts';
import { compareLoad } from './measurements/compare-load.ts';
import { measureEmbeddings } from './measurements/embeddings.ts';
import { measureFirstToken } from './measurements/first-token.ts';
import { measureFixturesStart } from './measurements/fixtures-start.ts';
import { measureFormats } from './measurements/formats.ts';
import { measureGuarded } from './measurements/guarded.ts';
import { measureOpenStreams, measurePausedReaders } from './measurements/held-streams.ts';
import { measureLlms } from './measurements/llms.ts';
import { measureManyKeys } from './measurements/many-keys.ts';
import { measureMounted, measureSlowReaders, measureSoak } from './measurements/memory-scenes.ts';
import { measureOpenCalls } from './measurements/open-calls.ts';
import { measurePortkey } from './measurements/portkey.ts';
import { measureStartUp } from './measurements/start-up.ts';
import { FULL, type Plan, QUICK, THOROUGH } from './plan.ts';
import { cleanUpOnExit } from './processes/children.ts';
import type { Figure } from './report/figure.ts';
import { currentLoad, describeMachine, watchOthers } from './report/machine.ts';
import { recordReport, type Report, toTextTable } from './report/report.ts';
import { setStage, type Stage } from './targets/start-targets.ts';
import { measureUiMillion } from './ui/ui-million.ts';
import { measureUi } from './ui/ui.ts';

const RESULTS_FILE = fileURLToPath(new URL('RESULTS.md', import.meta.url));

const MEASUREMENTS: Readonly<Record<Part, (stage: Stage, plan: Plan) => Promise<Figure[]>>> = {
  whole: (stage, plan) => compareLoad(stage, plan, 'whole'),
  streamed: (stage, plan) => compareLoad(stage, plan, 'streamed'),
  'first-token': measureFirstToken,
  'after-rest': measureAfterRest,
  'open-streams': measureOpenStreams,
  'paused-readers': measurePausedReaders,
  'start-up': measureStartUp,
  'cache-hits': measureCacheHits,
  guarded: measureGuarded,
  'many-keys': measureManyKeys,
  embeddings: measureEmbeddings,
  portkey: measurePortkey,
  formats: measureFormats,
  llms: measureLlms,
  binary: measureBinary,
  cluster: measureCluster,
  'fixtures-start': measureFixturesStart,
  ui: measureUi,
  desktop: measureDesktop,
  'open-calls': measureOpenCalls,
  'ui-million': measureUiMillion,
  soak: measureSoak,
  'slow-readers': measureSlowReaders,
  mounted: measureMounted,
};

async function run(options: BenchOptions): Promise<void> {
  const { parts, isQuick, isFull, formats, recorded, against, soakMinutes, soakStreams } = options;
  const durations = {
    ...(isQuick ? QUICK : THOROUGH),
    ...(isFull && FULL),
    ...(soakMinutes !== undefined && { soakMs: soakMinutes * 60_000 }),
    ...(soakStreams !== undefined && { soakStreams: Math.ceil(soakStreams) }),
  };
  const plan: Plan = { ...durations, isFull, formats, progress: (line) => console.log(`  ${line}`) };
  if (against !== undefined) {
    console.log(`\n${toTextTable(await measureAgainst(plan, against), AGAINST_TITLES)}`);
    return;
  }
  const machine = describeMachine();
  const loadBefore = currentLoad().toFixed(1);
  console.log(`${machine}, Node.js ${process.version}, load average ${loadBefore}`);

  const startedAt = performance.now();
  const othersShare = watchOthers();
  const stage = await setStage();
  const figures = new Map<Part, readonly Figure[]>();
  const failed: Part[] = [];
  for (const part of parts) {
    const partStartedAt = performance.now();
    console.log(part);
    try {
      figures.set(part, await MEASUREMENTS[part](stage, plan));
    } catch (error) {
      // The other parts have their own processes, so their figures are valid all the same.
      console.error(error);
      failed.push(part);
    }
    plan.progress(`took ${toSeconds(performance.now() - partStartedAt)}`);
  }
  const others = `${(othersShare() * 100).toFixed(0)} % of the CPU time went to other programs`;
  console.log(
    `\n${toTextTable([...figures.values()].flat())}\n\n${toSeconds(performance.now() - startedAt)}; ${others}`,
  );
  if (failed.length > 0) throw new Error(`No figures of ${failed.join(', ')}: see above`);

  const facts: Report['facts'] = [
    ['Date', new Date().toISOString().slice(0, 10)],
    ['Command', `\`npm run bench -- ${process.argv.slice(2).join(' ')}\``],
    ['Node.js', process.version],
    ['Machine', machine],
    ['Beside it', `load average ${loadBefore} before the run; ${others} during it`],
  ];
  for (const table of recorded) {
    const ofTable = TABLES[table].flatMap((part) => figures.get(part) ?? []);
    // A table whose parts were all skipped keeps the figures of an earlier run.
    if (ofTable.length === 0) continue;
    recordReport(RESULTS_FILE, table, { figures: ofTable, facts });
    console.log(`Recorded the figures of the ${table} in ${RESULTS_FILE}`);
  }
}

function toSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}

async function main(): Promise<number> {
  let options: BenchOptions | undefined;
  try {
    options = parseBenchOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return 2;
  }
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  try {
    await run(options);
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  }
}

cleanUpOnExit();
process.exit(await main());
