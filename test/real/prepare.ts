import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { TestProject } from 'vitest/node';

import { endProcess } from '../support/test-run/end-process.ts';
import { findEngine } from './find-engine.ts';
import { makeModel } from './make-model.ts';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const START_MS = 30_000;

/** The running engine, or why there is none. */
export type RealEngine =
  | { readonly url: string; readonly from: string; readonly isBinding: boolean }
  | { readonly missing: string };

declare module 'vitest' {
  export interface ProvidedContext {
    realEngine: RealEngine;
  }
}

/** Makes a model of the documentation and starts llama.cpp with it; both are gone after the run. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const engine = findEngine();
  if ('missing' in engine) {
    provide('realEngine', engine);
    return () => Promise.resolve();
  }
  const folder = mkdtempSync(join(tmpdir(), 'gateway-real-'));
  const model = join(folder, 'bigrams.gguf');
  makeModel(DOCS, model);
  const port = await findPort();
  const words = ['--model', model, '--alias', 'bigrams', '--host', '127.0.0.1', '--port', String(port)];
  const settings = ['--parallel', '16', '--ctx-size', '65536', '--threads', '1', '--jinja', '--embeddings'];
  settings.push('--pooling', 'mean', '--metrics', '--slots');
  const child = spawn(engine.file, [...engine.args, ...words, ...(engine.isBinding ? [] : settings)], {
    env: { ...process.env, ...engine.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-2000)));
  const url = `http://127.0.0.1:${port}`;
  await untilHealthy(url, () => {
    if (child.exitCode !== null) throw new Error(`llama.cpp ended:\n${log}`);
  });
  provide('realEngine', { url, from: engine.from, isBinding: engine.isBinding });
  return async () => {
    await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return address === null || typeof address === 'string' ? 0 : address.port;
}

async function untilHealthy(url: string, check: () => void): Promise<void> {
  const end = Date.now() + START_MS;
  for (;;) {
    check();
    const response = await fetch(`${url}/health`).catch(() => null);
    if (response?.ok === true) return;
    if (Date.now() > end) throw new Error(`llama.cpp did not respond at ${url} within ${START_MS / 1000} s`);
    await wait(100);
  }
}
