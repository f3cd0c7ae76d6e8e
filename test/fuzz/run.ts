// Tries everything that takes input from outside with made-up input: `npm run fuzz -- --seconds 180`. Prints what each
// target was tried with and what was found; exit code 1 when something was.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import type { FuzzOutcome } from './fuzz-target.ts';

const HELP = `Usage: npm run fuzz -- [flags]

  --seconds N      for each target; 10 by default
  --seed N         the seed of the input; the time by default. A finding comes again with its seed
  --target NAMES   some targets alone, with commas between them: event-streams, provider-responses, call-bodies,
                   documented-requests, config-files, stored-files, raw-http
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    target: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
} else {
  for (const [name, value] of [['seconds', values.seconds] as const, ['seed', values.seed] as const]) {
    if (!(Number(value) > 0)) throw new Error(`--${name} has to be a number above 0, not ${value}`);
  }
  process.exitCode = run();
}

function run(): number {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-fuzz-'));
  const report = join(folder, 'report.ndjson');
  try {
    console.log(`Seed ${values.seed}, ${values.seconds} s for each target`);
    const { status } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', 'fuzz', '--reporter', 'verbose'],
      {
        env: {
          ...process.env,
          FUZZ_SECONDS: values.seconds,
          FUZZ_SEED: values.seed,
          FUZZ_REPORT: report,
          ...(values.target !== undefined && { FUZZ_TARGETS: values.target }),
        },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').filter(Boolean) : [];
    const outcomes = lines.map((line) => JSON.parse(line) as FuzzOutcome);
    if (outcomes.length === 0) throw new Error('No target was tried; --help lists them');
    console.log(`\n${toTable(outcomes)}`);
    for (const { name, seed, finding } of outcomes) {
      if (finding === null) continue;
      console.log(`${name}, seed ${seed}\n  input  ${finding.input}\n  ${finding.error.replaceAll('\n', '\n  ')}\n`);
    }
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function toTable(outcomes: readonly FuzzOutcome[]): string {
  const rows = outcomes.map(
    ({ name, promise, runs, seconds, finding }) =>
      `| ${name} | ${promise} | ${runs.toLocaleString('en')} | ${seconds.toFixed(0)} | ${finding === null ? 'nothing' : 'broken'} |`,
  );
  return [
    '| Target | What has to hold | Runs | Seconds | Found |',
    '| --- | --- | --: | --: | --- |',
    ...rows,
    '',
  ].join('\n');
}
