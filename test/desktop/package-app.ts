import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ROOT = at('../..');
export const DESKTOP = at('../../desktop');
const RUNTIME = at('./runtime');
const ELECTRON = `${RUNTIME}/download/electron`;
const APP = `${RUNTIME}/download/app`;
const PACKAGES = `${RUNTIME}/download/packages`;
/** Record of the sources that the app was packaged from and of its fuses. */
const STAMP = `${RUNTIME}/download/app.json`;

/** The fuses of an app by their names, on or off. */
export type Fuses = Readonly<Record<string, boolean>>;

export interface PackagedApp {
  readonly executable: string;
  /** Fuses as they were packaged; afterwards the one that lets the tests attach was switched on. */
  readonly fuses: Fuses;
}

/** Everything that the packaged app is made of. */
const PARTS = [
  'package-lock.json',
  'fixtures/demo',
  'desktop/package-lock.json',
  'desktop/package.json',
  'desktop/electron-builder.yml',
  'desktop/electron.vite.config.ts',
  'desktop/icons',
  'desktop/scripts',
  'desktop/src',
  'packages/ui/bundle',
  ...readdirSync(`${ROOT}/packages`).flatMap((name) => [`packages/${name}/package.json`, `packages/${name}/dist`]),
];

/** Checks and packages the app as a user would get it; what was packaged from the same files before is taken again. */
export async function packageApp(): Promise<PackagedApp> {
  await Promise.all([install(DESKTOP), install(RUNTIME).then(unpackElectron)]);
  // Not with everything else: both need Electron's types.
  const checks = [run(DESKTOP, 'npm', 'run', 'lint'), run(DESKTOP, 'npm', 'run', 'typecheck')];
  const [fuses] = await Promise.all([packageUnlessDone(), ...checks]);
  return { executable: executableIn(`${APP}/linux-unpacked`), fuses };
}

async function install(folder: string): Promise<void> {
  if (!existsSync(`${folder}/node_modules`)) await run(folder, 'npm', 'ci', '--no-audit', '--no-fund');
}

async function unpackElectron(): Promise<void> {
  if (!existsSync(ELECTRON)) await run(RUNTIME, process.execPath, 'unpack.mjs', ELECTRON);
}

async function packageUnlessDone(): Promise<Fuses> {
  const key = hashOf(PARTS);
  const before = existsSync(STAMP) ? (JSON.parse(readFileSync(STAMP, 'utf8')) as { key: string; fuses: Fuses }) : null;
  if (before?.key === key) return before.fuses;
  for (const path of [STAMP, APP]) rmSync(path, { recursive: true, force: true });
  await run(DESKTOP, 'npm', 'run', 'bundle');
  await build('dist:dir', `electronDist=${ELECTRON}`, `directories.output=${APP}`);
  const fuses = readFuses(executableIn(`${APP}/linux-unpacked`), '--attachable');
  writeFileSync(STAMP, JSON.stringify({ key, fuses }));
  return fuses;
}

/**
 * Makes the archives and the Debian package as a release does, fuses included, but for their compression, which takes
 * its time. Returns the folder in which they are.
 */
export async function makePackages(): Promise<string> {
  rmSync(PACKAGES, { recursive: true, force: true });
  const places = [`electronDist=${ELECTRON}`, `directories.output=${PACKAGES}`];
  await build('dist:archives', ...places, 'compression=store');
  await build('dist:deb', ...places, 'deb.compression=gz');
  return PACKAGES;
}

/** Where the app's program is in the folder of an app. */
export const executableIn = (folder: string): string => join(folder, 'model-gateway-desktop');

/** Says which fuses of a built app are on; with `--attachable`, those before the driver's is switched on. */
export function readFuses(executable: string, ...words: '--attachable'[]): Fuses {
  const told = execFileSync(process.execPath, ['fuses.mjs', executable, ...words], { cwd: RUNTIME });
  return JSON.parse(told.toString()) as Fuses;
}

async function build(script: string, ...settings: string[]): Promise<void> {
  const words = ['electronVersion=33.2.1', ...settings].map((setting) => `-c.${setting}`);
  await run(DESKTOP, 'npm', 'run', script, '--', ...words);
}

async function run(cwd: string, command: string, ...words: string[]): Promise<void> {
  const env = { ELECTRON_BUILDER_7ZIP_PATH: '/usr/bin/7zz', ...process.env };
  try {
    await promisify(execFile)(command, words, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[command, ...words].join(' ')} failed\n${stdout.slice(-2000)}\n${stderr.slice(-1000)}`, {
      cause: error,
    });
  }
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).toSorted()) add(join(path, name));
    } else {
      hash.update(`${path}\0`).update(readFileSync(path));
    }
  };
  for (const part of parts) if (existsSync(join(ROOT, part))) add(join(ROOT, part));
  return hash.digest('hex');
}
