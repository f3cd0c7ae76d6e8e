import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../node_modules/.cache/last-test-run.json', import.meta.url));

/** What became of a run of tests. */
export interface RunOutcome {
  readonly passed: number;
  /** Tests, and what failed outside of one: a file that does not load, a hook, an unhandled error, the check beside. */
  readonly failed: number;
  readonly skipped: number;
  readonly failedFiles: readonly {
    readonly file: string;
    /** The suite that it belongs to: `e2e`. */
    readonly project: string;
    /** What failed in it. */
    readonly names: readonly string[];
  }[];
}

/** The last line of a run: `11130 passed, 0 failed, 33 skipped`. */
export const toClosingLine = ({ passed, failed, skipped }: RunOutcome): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** Keeps the outcome for the process after this one. */
export function keepOutcome(outcome: RunOutcome): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(outcome));
}

/** Takes what the last run has kept; undefined when it kept nothing, as after an interruption. */
export function takeOutcome(): RunOutcome | undefined {
  try {
    const outcome = JSON.parse(readFileSync(FILE, 'utf8')) as RunOutcome;
    rmSync(FILE);
    return outcome;
  } catch {
    return undefined;
  }
}
