import { spawnSync } from 'node:child_process';
import process from 'node:process';

import { type RunOutcome, takeOutcome, toClosingLine } from './outcome.ts';

/**
 * Suites whose tests drive other programs: windows, which may be drawn later than a test waits where the machine is
 * busy, and processes that are killed and started again beside a database that others use.
 */
const DRIVING_OTHERS: ReadonlySet<string> = new Set(['desktop', 'e2e', 'engines', 'screens']);
/** More files than this do not fail by chance. */
const MAX_FILES = 3;

/**
 * Runs the files of a failed run again, from their beginning, where nothing but a few files of such suites has failed. To
 * try a single test again would be of little use: those of a file share a gateway, and it has what the first try left
 * in it. What passes is named, so that no second try hides a fault for long.
 */
const outcome = takeOutcome();
process.exitCode = outcome !== undefined && passesAgain(outcome) ? 0 : 1;

function passesAgain(first: RunOutcome): boolean {
  const { failedFiles, failed } = first;
  const failedInFiles = failedFiles.reduce((sum, { names }) => sum + names.length, 0);
  const isWorthIt =
    failed === failedInFiles &&
    failedFiles.length <= MAX_FILES &&
    failedFiles.every(({ project }) => DRIVING_OTHERS.has(project));
  if (!isWorthIt) return false;
  const files = failedFiles.map(({ file }) => file);
  console.log(`\nSecond try: ${files.join(', ')}\n`);
  const projects = [...new Set(failedFiles.map(({ project }) => project))].flatMap((project) => ['--project', project]);
  const { CHECK_BESIDE: _done, ...env } = process.env;
  const { status } = spawnSync('vitest', ['run', ...projects, ...files], { stdio: 'inherit', env });
  if (status !== 0) return false;
  for (const { file, names } of failedFiles)
    for (const name of names) console.log(`Passed at its second try: ${file} > ${name}`);
  console.log(toClosingLine({ ...first, passed: first.passed + failed, failed: 0 }));
  return true;
}
