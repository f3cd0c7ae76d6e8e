import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/** What a run of tests says about the mutant it was run with. */
export type Verdict =
  | ({ readonly kind: 'failed' } & Failure)
  | { readonly kind: 'passed' }
  | { readonly kind: 'timed out' };

/** The test that failed, and the absolute path of its file; both undefined where nothing could be run. */
interface Failure {
  readonly by?: string | undefined;
  readonly file?: string | undefined;
  /** It has failed at its time limit, which on a busy machine may say nothing. */
  readonly isLate?: boolean | undefined;
}

export interface Run {
  /** Arguments of `vitest`: what is run. */
  readonly args: readonly string[];
  readonly limitMs: number;
  /** Whether the tests need a real PostgreSQL and Redis. */
  readonly isWithEngines?: boolean | undefined;
  /** The absolute path of the module that is mutated, and of the file with its source. */
  readonly mutated?: { readonly file: string; readonly source: string } | undefined;
  /** A folder for what the run reports. */
  readonly folder: string;
}

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

let running: number | undefined;

/** Ends the tests under way, and the servers that they have started. */
export function stopRunning(): void {
  if (running === undefined) return;
  try {
    process.kill(-running, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Runs tests until the first fails, behind everything else that the machine does. */
export async function runTests({ args, limitMs, isWithEngines, mutated, folder }: Run): Promise<Verdict> {
  const output = join(folder, 'report.json');
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      ...args,
      '--run',
      '--bail=1',
      '--config=test/mutate/vitest.config.ts',
      '--reporter=json',
      `--outputFile=${output}`,
    ],
    {
      // A group of its own, so that what tests have started ends with them.
      detached: true,
      env: {
        ...process.env,
        ...(isWithEngines === true && { TEST_ENGINES: '1' }),
        ...(mutated !== undefined && { MUTATED_FILE: mutated.file, MUTATED_SOURCE: mutated.source }),
      },
      stdio: 'ignore',
    },
  );
  running = child.pid;
  // Who starts this with less priority still means that; without root's rights it could not be raised either.
  if (running !== undefined) setPriority(running, Math.max(5, getPriority()));
  const late = new AbortController();
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  try {
    const timeUp = wait(limitMs, 'late' as const, { signal: late.signal });
    const status = await Promise.race([ended, timeUp]);
    if (status === 'late') return { kind: 'timed out' };
    return status === 0 ? { kind: 'passed' } : { kind: 'failed', ...readFailure(output) };
  } finally {
    late.abort();
    stopRunning();
    running = undefined;
  }
}

function readFailure(output: string): Failure {
  if (!existsSync(output)) return {};
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as JsonReport;
  const failed = testResults.find(
    ({ status, assertionResults }) =>
      assertionResults.some((result) => result.status === 'failed') ||
      // A file that cannot be loaded has no tests.
      (status === 'failed' && assertionResults.length === 0),
  );
  if (failed === undefined) return {};
  const test = failed.assertionResults.find(({ status }) => status === 'failed');
  const isLate = /\btimed out in \d+ms/.test(test?.failureMessages?.join('\n') ?? '');
  return { file: failed.name, by: test?.fullName, isLate };
}
