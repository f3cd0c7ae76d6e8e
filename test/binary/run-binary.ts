import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { endProcess } from '../support/test-run/end-process.ts';

/** The executable that `npm run build:binary` has made. */
export const BINARY = fileURLToPath(new URL('../../binary/model-gateway', import.meta.url));

/** Copies the executable into a new folder, where nothing of this repository is near. */
export function installAlone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'binary-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(BINARY, join(folder, 'model-gateway'));
  return folder;
}

function spawnIn(folder: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(join(folder, 'model-gateway'), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => endProcess(child));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (output.stdout += String(data)));
  child.stderr.on('data', (data) => (output.stderr += String(data)));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output, exited };
}

/** Runs a command to its end; `env` is all that it sees of the environment. */
export async function runIn(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { output, exited } = spawnIn(folder, args, env);
  return { code: await exited, ...output };
}

/** Runs `serve`, and resolves when it listens. */
export async function serveIn(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { child, output, exited } = spawnIn(folder, ['serve', '--port', '0', ...args], env);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => output.stdout.includes('\n') && resolve());
    void exited.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)));
  });
  const { url } = JSON.parse(output.stdout.slice(0, output.stdout.indexOf('\n'))) as { readonly url: string };
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return { url, output, end };
}
