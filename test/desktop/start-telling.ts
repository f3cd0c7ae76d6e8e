import { type ChildProcess, spawn } from 'node:child_process';

/** A program that goes on, and the line by which it said that it is ready. */
export interface Telling {
  readonly child: ChildProcess;
  readonly line: string;
}

/** Starts a program that says one line on this descriptor once it is ready. Rejects when it ends before. */
export async function startTelling(command: string, words: string[], descriptor: 1 | 3): Promise<Telling> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
    child.stdio[descriptor]?.once('data', (line: Buffer) => resolve({ child, line: line.toString().trim() }));
  });
}

/** A session bus of D-Bus. `line` is its address. */
export const startBus = (): Promise<Telling> =>
  startTelling('dbus-daemon', ['--session', '--nofork', '--print-address'], 1);
