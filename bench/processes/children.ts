import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const running = new Set<ChildProcess>();
const folders = new Set<string>();

/** Ends a child when this process ends, whatever the reason. */
export function endWithBench<C extends ChildProcess>(child: C): C {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Makes a folder that is removed when this process ends. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'model-gateway-bench-'));
  folders.add(folder);
  return folder;
}

/** Ends the children and removes the folders when this process exits or is stopped. Call once, at the start. */
export function cleanUpOnExit(): void {
  process.once('exit', () => {
    for (const child of running) child.kill('SIGKILL');
    // A child that has just been killed may still be writing its last file.
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
}
