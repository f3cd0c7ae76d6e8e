import process from 'node:process';

import type { FixturesOptions } from './parse-fixtures.ts';

/** Checks or lints a directory of fixtures. Prints the findings, and sets exit code 1 when there are any. */
export async function checkFixtures({ action, dir }: FixturesOptions): Promise<void> {
  const { checkFixtures: check, lintFixtures: lint } = await import('@model-gateway/fixtures');
  const { findings, count } = action === 'check' ? check(dir) : lint(dir);
  for (const { place, problem } of findings) process.stdout.write(`${place}: ${problem}\n`);
  const cases = `${count} ${count === 1 ? 'case' : 'cases'}`;
  process.stderr.write(findings.length === 0 ? `${cases}, nothing found\n` : `${cases}, ${findings.length} found\n`);
  if (findings.length > 0) process.exitCode = 1;
}
