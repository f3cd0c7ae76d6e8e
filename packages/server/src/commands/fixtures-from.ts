import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';

import type { FixtureSuite, SavedFixture } from '@model-gateway/core';
import type { SuiteFile } from '@model-gateway/fixtures';

import { type Parsed, readFlags, readInteger, toHelp, UsageError } from '../process/flags.ts';
import { StartError } from '../process/start-error.ts';
import { CALLS_FLAGS, findGatewayOfCalls, type GatewayOfCalls, readGatewayOfCalls } from './fixtures-gateway.ts';

export interface FixturesFromOptions extends GatewayOfCalls {
  /** Conditions as in the list of generations: `status:failed model:x`. */
  readonly where: string | undefined;
  /** How many calls, the latest ones. */
  readonly last: number;
  readonly dir: string;
  readonly suite: FixtureSuite | null;
  /** Whether a suite that differs is replaced. */
  readonly force: boolean;
}

const HELP = `Usage: model-gateway fixtures from [--where CONDITIONS] [--last N] [flags]

  --where CONDITIONS which calls, as in the list of generations: 'status:failed model:openai/gpt-4o'
  --last N           how many of them, the latest ones (50)
  --dir DIR          where the cases go (./fixtures)
  --data-dir DIR     the data directory of the gateway that stored them (./data)
  --config FILE      or the config file that names it
  --api URL          or its address (with a key, where no gateway runs with ./data: http://127.0.0.1:8855/api/v1)
  --key KEY          a management key of the gateway (default: MODEL_GATEWAY_MANAGEMENT_KEY, else that of the data
                     directory)
  --suite RUNNER     vitest, jest, node or pytest: writes a suite beside DIR that runs the cases (node); none for none
  --force            replace a suite that exists and differs

Makes a case of each call, without the secrets and personal data in it: a request, and the response it got. The suite
needs no network.
`;

const FLAGS = {
  ...CALLS_FLAGS,
  where: { type: 'string' },
  last: { type: 'string' },
  dir: { type: 'string' },
  suite: { type: 'string' },
  force: { type: 'boolean' },
} as const;

const MOST = 1000;
const SUITES: readonly string[] = ['vitest', 'jest', 'node', 'pytest'] satisfies readonly FixtureSuite[];

/** Reads the arguments after `fixtures from`. Throws `UsageError`. */
export function parseFixturesFrom(args: readonly string[]): Parsed<'fixtures-from', FixturesFromOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { where, last = '50', dir = 'fixtures', suite = 'node', force = false } = values;
  if (suite !== 'none' && !SUITES.includes(suite)) {
    throw new UsageError(`--suite must be ${SUITES.join(', ')} or none, not "${suite}".`);
  }
  return {
    type: 'fixtures-from',
    options: {
      ...readGatewayOfCalls(values, process.env['MODEL_GATEWAY_MANAGEMENT_KEY']),
      where,
      last: readInteger('--last', last, 1, MOST),
      dir,
      suite: suite === 'none' ? null : (suite as FixtureSuite),
      force,
    },
  };
}

/** Makes cases of stored calls, and a suite that runs them. Prints the folders, and what could not be made. */
export async function makeFixturesFrom(options: FixturesFromOptions): Promise<void> {
  const { dir, suite, last } = options;
  // They are loaded here, as parsing a command is to load little.
  const [{ toFixtureQuestion }, { toSuite }] = await Promise.all([
    import('@model-gateway/core'),
    import('@model-gateway/fixtures'),
  ]);
  const gateway = await findGatewayOfCalls(options);
  const ids = await listIds({ ...options, ...gateway });
  let made = 0;
  let scrubbed = 0;
  const seen = new Map<string, string>();
  for (const [index, id] of ids.entries()) {
    const saved = await handOut(id, gateway);
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${ids.length} calls`);
    if (typeof saved === 'string') {
      process.stderr.write(`\r${id}: ${saved}\n`);
      continue;
    }
    const question = toFixtureQuestion(saved);
    const same = seen.get(question);
    if (same !== undefined) {
      process.stderr.write(`\r${id}: same request as the later ${same}; skipped\n`);
      continue;
    }
    seen.set(question, id);
    const folder = join(dir, saved.path);
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of saved.files) writeFileSync(join(folder, basename(name)), text);
    process.stdout.write(`${folder}\n`);
    made += 1;
    scrubbed += saved.scrubbed ?? 0;
  }
  if (process.stderr.isTTY) process.stderr.write('\r');
  if (ids.length === 0)
    process.stderr.write(`No call matches${last === MOST ? '' : ' among those that are stored'}.\n`);
  if (made === 0) return void (process.exitCode = 1);
  const private_ = scrubbed === 1 ? '1 secret or personal detail' : `${scrubbed} secrets and personal details`;
  process.stderr.write(
    `${made} ${made === 1 ? 'case' : 'cases'}; ${private_} replaced. Read them before you share them.\n`,
  );
  if (suite !== null)
    writeSuite(options, toSuite(suite, basename(dir), dirname(dir) === '.' ? '' : `${dirname(dir)}/`));
}

/** Suites are meant to be edited, so another text than the suite's stays, unless it is to be replaced. */
function writeSuite({ dir, force }: FixturesFromOptions, { name, text, run }: SuiteFile): void {
  const file = join(dirname(dir), name);
  const isKept = !force && existsSync(file) && readFileSync(file, 'utf8') !== text;
  if (!isKept) writeFileSync(file, text);
  const what = `${file} exists and differs from a new suite, so it is left; --force replaces it.\n`;
  process.stderr.write(isKept ? what : `${file} runs them: ${run}\n`);
}

type Gateway = Awaited<ReturnType<typeof findGatewayOfCalls>>;

/** Ids of the latest calls, the newest first. */
async function listIds({
  where,
  last,
  ...gateway
}: Pick<FixturesFromOptions, 'where' | 'last'> & Gateway): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(Math.min(200, last - ids.length)), fields: 'id' });
    if (where !== undefined) query.set('where', where);
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = (await ask(gateway, 'GET', `/admin/v1/generations?${query.toString()}`)) as {
      readonly data: readonly { readonly id: string }[];
      readonly next_cursor?: string | null;
    };
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && ids.length < last);
  return ids.slice(0, last);
}

/** The case of a call, or why there is none. */
async function handOut(id: string, gateway: Gateway): Promise<SavedFixture | string> {
  try {
    const body = { generation_id: id, scrub: true, hand_out: true };
    return ((await ask(gateway, 'POST', '/admin/v1/fixtures', body)) as { data: SavedFixture }).data;
  } catch (error) {
    if (error instanceof RefusedError) return error.message;
    throw error;
  }
}

/** The gateway's own refusal, which concerns one call. */
class RefusedError extends StartError {}

const TIMEOUT_MS = 30_000;

async function ask({ api, key }: Gateway, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(api.replace(/\/api\/v1$/, '') + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw new StartError(`No gateway responds at ${api}; set its address with --api.`, { cause });
  });
  const read = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  if (response.ok && read !== null) return read;
  const reason = `${read?.error?.message ?? 'The gateway gave no reason'} (status ${response.status}).`;
  const isOfCall = method === 'POST' && [400, 404, 409].includes(response.status);
  throw isOfCall ? new RefusedError(reason) : new StartError(reason);
}
