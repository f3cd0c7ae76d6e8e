import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished } from 'vitest';

import { TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';
import { endProcess } from '../../support/test-run/end-process.ts';
import { signalOne } from './signal-one.ts';

/** The real command, so this needs a build. */
const BIN = fileURLToPath(new URL('../../../packages/server/bin/model-gateway.js', import.meta.url));

type Environment = Readonly<Record<string, string>>;

/** A command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `serve` that listens. It is killed, with its workers, when the test has ended. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  /** Everything that it has printed so far. */
  readonly output: Readonly<Record<'stdout' | 'stderr', string>>;
  readonly ended: Promise<Ended>;
  send(signal: NodeJS.Signals): void;
  /** PIDs of the processes that it has started and that run. */
  workers(): readonly number[];
  /** Calls with the management key, or another one. */
  call(method: string, path: string, body?: object, key?: string): Promise<{ status: number; body: never }>;
}

/** A new folder that is removed when the test has ended. */
export function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-command-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return dir;
}

/** Writes a configuration to a file of its own. */
export function writeConfig(config: object): string {
  const file = join(makeFolder(), 'gateway.config.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Runs a command to its end. */
export async function runCommand(args: readonly string[], env: Environment = {}): Promise<Ended> {
  return start(args, env).ended;
}

/** Runs a command with a configuration to its end. */
export async function runWith(config: object, args: readonly string[], env: Environment = {}): Promise<Ended> {
  return runCommand([...args, '--config', writeConfig(config)], env);
}

/** Starts a command that may be ended early. */
export function startCommand(args: readonly string[]): Pick<Served, 'ended' | 'send'> {
  const { child, ended } = start(args, {});
  return { ended, send: (signal) => void child.kill(signal) };
}

export interface ServeOptions {
  readonly args?: readonly string[];
  readonly env?: Environment;
  /** Default: a new folder. */
  readonly dataDir?: string;
}

/** Starts `serve` and resolves when it listens, or with how it ended before. */
export async function serve(config: object, options: ServeOptions = {}): Promise<Served | Ended> {
  const { args = [], env = {}, dataDir = makeFolder() } = options;
  const words = ['serve', '--config', writeConfig(config), '--data-dir', dataDir, '--port', '0', ...args];
  const { child, output, ended } = start(words, env);
  const url = await Promise.race([
    ended,
    new Promise<string>((resolve) => {
      child.stdout?.on('data', () => {
        const line = output.stdout.split('\n').find((text) => text.includes('"listening"'));
        if (line !== undefined) resolve((JSON.parse(line) as { url: string }).url);
      });
    }),
  ]);
  if (typeof url !== 'string') return url;
  const pid = child.pid ?? 0;
  const workers = (): number[] => childrenOf(pid);
  onTestFinished(() => {
    for (const worker of workers()) signalOne(worker, 'SIGKILL');
  });
  return {
    url,
    pid,
    output,
    ended,
    send: (signal) => void child.kill(signal),
    workers,
    async call(method, path, body, key = TEST_MANAGEMENT_KEY) {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as never };
    },
  };
}

/** As `serve`, where nothing is in the way of a start. */
export async function serveWell(config: object, options: ServeOptions = {}): Promise<Served> {
  const served = await serve(config, options);
  if ('url' in served) return served;
  throw new Error(`it ended with ${served.code}: ${served.stderr}`);
}

/** The status and the message of `/ready`. */
export async function askReady({ url }: Pick<Served, 'url'>): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, text: await response.text() };
}

/** Resolves when `/ready` says so. */
export async function untilReady(gateway: Pick<Served, 'url'>): Promise<void> {
  await expect.poll(() => askReady(gateway)).toMatchObject({ status: 200 });
}

/** Stops a gateway as its service manager does. */
export async function stop(gateway: Pick<Served, 'send' | 'ended'>): Promise<void> {
  gateway.send('SIGTERM');
  await gateway.ended;
}

/** Whether a process runs. */
export function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return pids.filter(isAlive);
  } catch {
    return [];
  }
}

function start(args: readonly string[], env: Environment) {
  const child: ChildProcess = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => endProcess(child));
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (piece: Buffer) => (output.stdout += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (output.stderr += piece.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { child, output, ended };
}
