import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** An installed npm release of Portkey's gateway. */
export interface Portkey {
  readonly version: string;
  /** File that its command runs. */
  readonly file: string;
}

const FOLDER = fileURLToPath(new URL('../portkey/', import.meta.url));
const PACKAGE = '@portkey-ai/gateway';
const INSTALL_MS = 180_000;

/**
 * Installs the release that `portkey/package.json` pins beside it, unless it is there: no part of the product needs it.
 * Throws with npm's own reason where that cannot be done, such as without a network.
 */
export async function installPortkey(): Promise<Portkey> {
  const { dependencies } = readJson<{ dependencies: Record<string, string> }>('package.json');
  const version = dependencies[PACKAGE] ?? '';
  const home = join('node_modules', PACKAGE);
  const isThere = existsSync(join(FOLDER, home, 'package.json'));
  if (!isThere || readJson<{ version: string }>(join(home, 'package.json')).version !== version) await install();
  const { bin } = readJson<{ bin: string }>(join(home, 'package.json'));
  return { version, file: join(FOLDER, home, bin) };
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(FOLDER, path), 'utf8')) as T;
}

async function install(): Promise<void> {
  // The gateway does not need the install scripts of its dependencies, which could do anything.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    await promisify(execFile)('npm', args, { cwd: FOLDER, timeout: INSTALL_MS, shell: process.platform === 'win32' });
  } catch (error) {
    const log = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    const reason = log.split('\n').find((line) => line.startsWith('npm error')) ?? log.trim();
    throw new Error(`npm could not install ${PACKAGE}: ${reason}`, { cause: error });
  }
}
