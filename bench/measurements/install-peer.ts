import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A release of another program that the gateway is compared with. */
export interface Peer {
  /** Its package on npm. */
  readonly name: string;
  /** The folder of the bench with its `package.json` and lock file. */
  readonly folder: string;
  /** The field of its `package.json` that names the file to run. */
  readonly entry: 'bin' | 'main';
}

/** An installed release. */
export interface InstalledPeer {
  readonly version: string;
  /** The file to run. */
  readonly file: string;
}

const INSTALL_MS = 180_000;

/**
 * Installs the release that the folder's `package.json` pins in that folder, unless it is there: no part of the product
 * needs it. Throws with npm's own reason where that cannot be done, such as without a network.
 */
export async function installPeer({ name, folder, entry }: Peer): Promise<InstalledPeer> {
  const home = fileURLToPath(new URL(`../${folder}/`, import.meta.url));
  const { dependencies } = readJson<{ dependencies: Record<string, string> }>(join(home, 'package.json'));
  const version = dependencies[name] ?? '';
  const place = join(home, 'node_modules', name);
  const manifest = join(place, 'package.json');
  if (!existsSync(manifest) || readJson<{ version: string }>(manifest).version !== version) await install(name, home);
  return { version, file: join(place, readJson<Record<Peer['entry'], string>>(manifest)[entry]) };
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

async function install(name: string, home: string): Promise<void> {
  // The release does not need the install scripts of its dependencies, which could do anything.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    await promisify(execFile)('npm', args, { cwd: home, timeout: INSTALL_MS, shell: process.platform === 'win32' });
  } catch (error) {
    const log = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    const reason = log.split('\n').find((line) => line.startsWith('npm error')) ?? log.trim();
    throw new Error(`npm could not install ${name}: ${reason}`, { cause: error });
  }
}
