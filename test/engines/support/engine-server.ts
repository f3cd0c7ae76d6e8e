import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import type { SystemUser } from './unprivileged-user.ts';

/** A real PostgreSQL or Redis that a test may kill and start again, at the same address with the same data. */
export interface EngineServer {
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now. */
  readonly pid: number;
  /** By SIGKILL: nothing is written any more. */
  kill(): Promise<void>;
  /** Stops it for a while without closing connections: it answers nothing until `resume`. */
  pause(): void;
  resume(): void;
  /** Starts it after `kill`; resolves when it takes commands. */
  start(): Promise<void>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

export interface EngineProgram {
  readonly path: string;
  readonly args: readonly string[];
  readonly user: SystemUser | undefined;
  /** Whether it takes commands. */
  readonly isUp: () => Promise<boolean>;
}

const START_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** Starts a program and waits until it is up. A server that was killed a moment ago may keep its data to itself briefly. */
export async function startProgram({ path, args, user, isUp }: EngineProgram): Promise<ChildProcess> {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  for (;;) {
    const child = spawn(path, args, {
      ...user,
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (piece: Buffer) => (said = (said + piece.toString()).slice(-2000)));
    while (child.exitCode === null && child.signalCode === null) {
      if (await isUp()) return child;
      if (performance.now() > giveUpAt) child.kill('SIGKILL');
      await delay(LOOK_EVERY_MS);
    }
    if (performance.now() > giveUpAt) throw new Error(`${path} did not start: ${said}`);
    await delay(LOOK_EVERY_MS);
  }
}

/** Kills a program and waits for its end. */
export async function killProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Where the system takes the ports of outgoing connections and of servers that want any begins at 32,768. */
const [FIRST_PORT, PORTS] = [10_000, 22_000];

/**
 * A port that is free now, and that the system gives to nobody: a server that was killed finds it free again, though
 * clients have tried to connect to it meanwhile, each from a port that the system chose.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + randomInt(PORTS);
    const server = net.createServer();
    const isFree = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
