import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { endProcess } from '../test-run/end-process.ts';

const SCRIPT = fileURLToPath(new URL('own-directories.ts', import.meta.url));

/** A process that takes and releases directories when it is told to. */
export interface OwningProcess {
  readonly pid: number;
  /** `owned`, or why not. */
  own(directory: string): Promise<string>;
  release(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Kills it, and resolves when it has gone. */
  kill(): Promise<void>;
}

export interface OwningProcessOptions {
  /** A program that runs the process in other circumstances, such as `unshare`, with its arguments. */
  readonly within?: readonly string[];
  /** Default: this program of Node. */
  readonly node?: string;
  readonly script?: string;
}

/** Starts one; resolves when it is ready for commands. */
export async function startOwningProcess({
  within = [],
  node = process.execPath,
  script = SCRIPT,
}: OwningProcessOptions = {}): Promise<OwningProcess> {
  const [program, ...args] = [...within, node, script];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  // It may have been killed.
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout });
  const ask = async (command: string): Promise<string> => {
    const responded = once(lines, 'line');
    child.stdin.write(`${command}\n`);
    return String((await responded)[0]);
  };
  await once(lines, 'line');
  return {
    pid: child.pid ?? 0,
    own: (directory) => ask(`own ${directory}`),
    release: () => ask('release'),
    signal: (name) => void child.kill(name),
    kill: () => endProcess(child),
  };
}

/** A note for the title of a test that needs a command to succeed; empty where it does. */
export function whyNot(program: string, ...args: readonly string[]): string {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return '';
  return ` (skipped: ${(error?.message ?? stderr).trim().split('\n')[0]})`;
}
