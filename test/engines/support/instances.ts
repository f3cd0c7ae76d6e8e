import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished } from 'vitest';

import { TEST_MANAGEMENT_KEY } from '../../support/gateways/test-gateway.ts';
import { endProcess } from '../../support/test-run/end-process.ts';
import { findFreePort } from './engine-server.ts';
import { eventually } from './eventually.ts';

/** The real command, so this needs a build. */
const BIN = fileURLToPath(new URL('../../../packages/server/bin/model-gateway.js', import.meta.url));
const AUTHORITY = fileURLToPath(new URL('../../support/certificates/authority.pem', import.meta.url));
const SEEN_LOG_CHARS = 4000;

/** One `serve` of several on the same engines. It has the same address and data directory after each start. */
export interface Instance {
  readonly url: string;
  /** By SIGKILL. */
  kill(): Promise<void>;
  /** Stops it in the middle of whatever it does, until `resume`. */
  pause(): void;
  resume(): void;
  /** Starts it after `kill`; resolves when it listens. */
  start(): Promise<void>;
  /** Calls the API with the management key, or another one. Rejects unless the response is of status 2xx. */
  call<T>(method: string, path: string, body?: object, key?: string): Promise<T>;
  /** Status of `/ready`; 0 while it does not respond. */
  ready(): Promise<number>;
  /** The end of what it has logged since its last start. */
  log(): string;
}

/** Has work done when something is over, last first: the test, or all tests of a file. */
export type AtEnd = (work: () => Promise<void> | void) => void;

/**
 * Starts some with configurations that differ in nothing but, where wanted, an address. Resolves when all are ready.
 * They end with the test, unless told otherwise.
 */
export async function startInstances(
  count: number,
  toConfig: (index: number) => object,
  atEnd: AtEnd = onTestFinished,
): Promise<Instance[]> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-instances-'));
  atEnd(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const instances = await Promise.all(
    Array.from({ length: count }, (_, index) => startInstance(join(dir, String(index)), toConfig(index), atEnd)),
  );
  for (const instance of instances) await eventually(async () => expect(await instance.ready()).toBe(200));
  return instances;
}

async function startInstance(dir: string, config: object, atEnd: AtEnd): Promise<Instance> {
  const file = `${dir}.config.json`;
  writeFileSync(file, JSON.stringify(config));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let log = '';
  const start = async (): Promise<void> => {
    log = '';
    const words = [BIN, 'serve', '--config', file, '--data-dir', dir, '--port', String(port), '--log-level', 'warn'];
    const started = spawn(process.execPath, words, {
      env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: AUTHORITY },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    started.stderr.on('data', (piece: Buffer) => (log = (log + piece.toString()).slice(-SEEN_LOG_CHARS)));
    await new Promise<void>((resolve, reject) => {
      createInterface(started.stdout).once('line', () => resolve());
      started.once('exit', (code) => reject(new Error(`it ended with ${code}: ${log}`)));
    });
  };
  const kill = async (): Promise<void> => {
    if (child !== undefined) await endProcess(child);
  };
  atEnd(kill);
  await start();
  return {
    url,
    start,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async call(method, path, body, key = TEST_MANAGEMENT_KEY) {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
      return (text === '' ? undefined : JSON.parse(text)) as never;
    },
    ready: () =>
      fetch(`${url}/ready`).then(
        ({ status }) => status,
        () => 0,
      ),
    log: () => log,
  };
}
