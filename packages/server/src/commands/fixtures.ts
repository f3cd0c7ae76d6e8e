import process from 'node:process';

import type { Generation, GenerationContent } from '@model-gateway/core';
import { saveGeneration } from '@model-gateway/fixtures';

import { StartError } from '../process/start-error.ts';
import type { FixturesOptions, SaveFixtureOptions } from './parse-fixtures.ts';

const SAVE_TIMEOUT_MS = 10_000;

/** Fetches a stored generation from a running gateway and saves it as a fixture; prints the folder. */
export async function saveFixture({ id, dir, api, key }: SaveFixtureOptions): Promise<void> {
  const fetchData = async (path: string): Promise<unknown> => {
    const response = await fetch(`${api}${path}?id=${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(SAVE_TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new StartError(`No gateway answers at ${api}; say with --api where it is.`, { cause });
    });
    const body = (await response.json()) as { data?: unknown; error?: { message?: string } };
    if (response.ok) return body.data;
    throw new StartError(`${body.error?.message ?? 'The gateway did not say why'} (status ${response.status}).`);
  };
  const generation = (await fetchData('/generation')) as Generation;
  const content = (await fetchData('/generation/content')) as GenerationContent;
  process.stdout.write(`${saveGeneration({ dir, generation, content })}\n`);
}

/** Checks or lints a directory of fixtures. Prints the findings, and sets exit code 1 when there are any. */
export async function checkFixtures({ action, dir }: FixturesOptions): Promise<void> {
  const { checkFixtures: check, lintFixtures: lint } = await import('@model-gateway/fixtures');
  const { findings, count } = action === 'check' ? check(dir) : lint(dir);
  for (const { place, problem } of findings) process.stdout.write(`${place}: ${problem}\n`);
  const cases = `${count} ${count === 1 ? 'case' : 'cases'}`;
  process.stderr.write(findings.length === 0 ? `${cases}, nothing found\n` : `${cases}, ${findings.length} found\n`);
  if (findings.length > 0) process.exitCode = 1;
}
