import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process, and resolves when it has gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
