import process from 'node:process';

import type { Generation, GenerationContent } from '@model-gateway/core';
import { saveGeneration } from '@model-gateway/fixtures';

import { StartError } from '../process/start-error.ts';
import type { SaveFixtureOptions } from './parse-fixtures.ts';

const TIMEOUT_MS = 10_000;

/** Fetches a stored generation from a running gateway and saves it as a fixture; prints the folder. */
export async function saveFixture({ id, dir, api, key }: SaveFixtureOptions): Promise<void> {
  const fetchData = async (path: string): Promise<unknown> => {
    const response = await fetch(`${api}${path}?id=${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
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
