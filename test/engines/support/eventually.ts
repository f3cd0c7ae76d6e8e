import { vi } from 'vitest';

/** Long enough for any machine, as that of `expect.poll` in this project: what comes true takes no longer than it needs. */
const LIMIT_MS = 30_000;

/** Checks again and again until that does not fail, and resolves with what it gave. */
export function eventually<Result>(check: () => Promise<Result> | Result, everyMs = 20): Promise<Result> {
  return vi.waitFor(check, { timeout: LIMIT_MS, interval: everyMs });
}
