import process from 'node:process';

import type { Generation, GenerationContent } from '@model-gateway/core';

import { asksForHelp, guess, type Parsed, readFlags, toHelp, UsageError } from '../process/flags.ts';
import { StartError } from '../process/start-error.ts';
import { type FixturesFromOptions, parseFixturesFrom } from './fixtures-from.ts';
import { CALLS_FLAGS, findGatewayOfCalls, type GatewayOfCalls, readGatewayOfCalls } from './fixtures-gateway.ts';

export interface FixturesOptions {
  readonly action: 'check' | 'lint' | 'drift';
  readonly dir: string;
  /** Newer recordings, for `drift`. */
  readonly against?: string | undefined;
}

export interface SaveFixtureOptions extends GatewayOfCalls {
  /** The generation's id. */
  readonly id: string;
  readonly dir: string;
}

const HELP = `Usage: model-gateway fixtures check [--dir DIR]
       model-gateway fixtures lint [--dir DIR]
       model-gateway fixtures save --id GENERATION [--key KEY] [--api URL] [--dir DIR]
       model-gateway fixtures from [--where CONDITIONS] [--last N] [--suite RUNNER]
       model-gateway fixtures drift --against DIR [--dir DIR]

  --dir DIR          the recordings (./fixtures)
  --id GENERATION    a stored generation, by the id of its response
  --data-dir DIR     the data directory of the gateway that stored it (./data)
  --config FILE      or the config file that names it
  --api URL          or its address (with a key, where no gateway runs with ./data: http://127.0.0.1:8855/api/v1)
  --key KEY          the key that it was made with, or a management key (default: that of the data directory)
  --against DIR      newer recordings of the same requests

check compares the shapes of recorded responses with the schemas of this version and says which side has moved. lint
finds secrets, and cases that never answer. drift compares the responses of newer recordings with those of DIR, field by
field. All three end with 1 when they find something. save makes a case of a generation, from makes cases of many.
`;

const FLAGS = { dir: { type: 'string' }, against: { type: 'string' } } as const;
const SAVE_FLAGS = { ...CALLS_FLAGS, dir: FLAGS.dir, id: { type: 'string' } } as const;

const ACTIONS = ['check', 'lint', 'save', 'from', 'drift'] as const;
const DEFAULT_DIR = 'fixtures';

/** Reads the arguments after `fixtures`. Throws `UsageError`. */
export function parseFixtures([action, ...rest]: readonly string[]):
  | Parsed<'fixtures', FixturesOptions>
  | Parsed<'fixtures-save', SaveFixtureOptions>
  | Parsed<'fixtures-from', FixturesFromOptions> {
  if (asksForHelp(action)) return toHelp(HELP);
  if (action === 'save') return parseSave(rest);
  if (action === 'from') return parseFixturesFrom(rest);
  if (action !== 'check' && action !== 'lint' && action !== 'drift') {
    const meant = action === undefined ? '' : guess(action, ACTIONS);
    throw new UsageError(`Missing or unknown fixtures command.${meant}\n\n${HELP}`);
  }
  const { help, dir = DEFAULT_DIR, against } = readFlags(rest, FLAGS, HELP);
  if (help === true) return toHelp(HELP);
  if (action === 'drift' && against === undefined) {
    throw new UsageError('Missing --against DIR: the folder of newer recordings of the same requests.');
  }
  if ((action === 'drift') !== (against !== undefined)) {
    throw new UsageError('--against goes with drift: the folder of newer recordings of the same requests.');
  }
  return { type: 'fixtures', options: { action, dir, against } };
}

function parseSave(args: readonly string[]): Parsed<'fixtures-save', SaveFixtureOptions> {
  const values = readFlags(args, SAVE_FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { id, dir = DEFAULT_DIR } = values;
  if (id === undefined) throw new UsageError('Missing --id: the generation’s id from its response, gen-….');
  return { type: 'fixtures-save', options: { ...readGatewayOfCalls(values), id, dir } };
}

const SAVE_TIMEOUT_MS = 10_000;

/** Fetches a stored generation from a running gateway and saves it as a fixture; prints the folder. */
export async function saveFixture({ id, dir, ...gateway }: SaveFixtureOptions): Promise<void> {
  const { api, key } = await findGatewayOfCalls(gateway);
  const noGateway = `No gateway responds at ${api}; set its address with --api.`;
  const fetchData = async (path: string): Promise<unknown> => {
    const response = await fetch(`${api}${path}?id=${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(SAVE_TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new StartError(noGateway, { cause });
    });
    const body = (await response.json().catch(() => null)) as { data?: unknown; error?: { message?: string } } | null;
    if (!response.ok) {
      throw new StartError(`${body?.error?.message ?? 'The gateway gave no reason'} (status ${response.status}).`);
    }
    if (body?.data === undefined) throw new StartError(noGateway);
    return body.data;
  };
  const generation = (await fetchData('/generation')) as Generation;
  const content = (await fetchData('/generation/content')) as GenerationContent;
  const { saveGeneration } = await import('@model-gateway/fixtures');
  process.stdout.write(`${saveGeneration({ dir, generation, content })}\n`);
}

/** Checks or lints a directory of fixtures, or compares it with another. Prints the findings, and sets exit code 1 when there are any. */
export async function checkFixtures({ action, dir, against = dir }: FixturesOptions): Promise<void> {
  const { checkFixtures: check, findDrift, lintFixtures: lint } = await import('@model-gateway/fixtures');
  const look = { check, lint, drift: (old: string) => findDrift(old, against) };
  const { findings, count } = await look[action](dir);
  for (const { place, problem } of findings) process.stdout.write(`${place}: ${problem}\n`);
  const cases = `${count} ${count === 1 ? 'case' : 'cases'}`;
  process.stderr.write(findings.length === 0 ? `${cases}, nothing found\n` : `${cases}, ${findings.length} found\n`);
  if (findings.length > 0) process.exitCode = 1;
}
