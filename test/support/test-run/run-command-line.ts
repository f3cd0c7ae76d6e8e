import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { endProcess } from './end-process.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: { start: string } };

/** What `npm start` runs after the build, which other tests rely on meanwhile. */
export const AFTER_BUILD = scripts.start.split('exec ').at(-1) ?? '';

/** A command that goes on, in a folder of its own, until the test ends. */
export interface RunningCommand {
  /** Resolves with what `find` finds in what was printed for people, once it does. Rejects when the command ends. */
  printed<Found>(find: (lines: string) => Found | undefined): Promise<Found>;
}

/** Runs a command line in an empty folder that is its home, too, as npm runs a script: `--port 0` is added. */
export function runCommandLine(commandLine: string): RunningCommand {
  const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  const env = { HOME: folder, PATH: [`${ROOT}node_modules/.bin`, process.env['PATH'] ?? ''].join(delimiter) };
  const child = spawn('sh', ['-c', `exec ${commandLine} --port 0`], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  });
  let printed = '';
  child.stderr.setEncoding('utf8');
  const arrivals = new EventTarget();
  child.stderr.on('data', (text: string) => {
    printed += text;
    arrivals.dispatchEvent(new Event('text'));
  });
  let hasEnded = false;
  child.on('close', () => {
    hasEnded = true;
    arrivals.dispatchEvent(new Event('text'));
  });
  return {
    printed: (find) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = find(printed.slice(0, printed.lastIndexOf('\n') + 1));
          if (found !== undefined) resolve(found);
          else if (hasEnded) reject(new Error(`${commandLine} ended: ${printed}`));
          else arrivals.addEventListener('text', look, { once: true });
        };
        look();
      }),
  };
}
