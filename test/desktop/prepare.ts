import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { TestProject } from 'vitest/node';

import { installPackages } from '../support/install-packages.ts';

/** What the tests run: a packaged app, a display and a session bus; or why they cannot. */
export type DesktopStage =
  | { readonly executable: string; readonly env: Readonly<Record<string, string>> }
  | { readonly skipped: string };

declare module 'vitest' {
  interface ProvidedContext {
    desktop: DesktopStage;
  }
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const DESKTOP = at('../../desktop');
const RUNTIME = at('./runtime');
const ELECTRON = `${RUNTIME}/download/electron`;
const APP = `${RUNTIME}/download/app`;

const PROGRAMS = { Xvfb: 'xvfb', 'dbus-daemon': 'dbus' };
const LIBRARIES = {
  'libgtk-3.so.0': 'libgtk-3-0',
  'libnss3.so': 'libnss3',
  'libasound.so.2': 'libasound2',
  'libgbm.so.1': 'libgbm1',
  'libxkbcommon.so.0': 'libxkbcommon0',
};

/** Builds and packages the app as a user would get it, but for the fuse that lets the tests attach. */
export async function setup(project: TestProject): Promise<(() => void) | void> {
  const reason = findObstacle();
  if (reason !== undefined) {
    project.provide('desktop', { skipped: reason });
    return;
  }
  try {
    packageApp();
  } catch (error) {
    const output = (error as { stdout?: Buffer }).stdout?.toString().slice(-2000) ?? '';
    throw new Error(`The desktop app could not be packaged: ${String(error)}\n${output}`, { cause: error });
  }
  const children: ChildProcess[] = [];
  const display = await startTelling(
    children,
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    3,
  );
  const bus = await startTelling(children, 'dbus-daemon', ['--session', '--nofork', '--print-address'], 1);
  const env = { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: bus };
  project.provide('desktop', { executable: `${APP}/linux-unpacked/model-gateway-desktop`, env });
  return () => {
    for (const child of children) child.kill();
  };
}

function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the test runtime is for Linux x64 only';
  return installPackages(missingPackages);
}

function missingPackages(): string[] {
  const libraries = execFileSync('/sbin/ldconfig', ['-p']).toString();
  const paths = (process.env['PATH'] ?? '').split(':');
  return [
    ...Object.entries(PROGRAMS).filter(([program]) => !paths.some((path) => existsSync(`${path}/${program}`))),
    ...Object.entries(LIBRARIES).filter(([library]) => !libraries.includes(library)),
  ].map(([, name]) => name);
}

function packageApp(): void {
  const run = (cwd: string, command: string, ...words: string[]): void => {
    execFileSync(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  if (!existsSync(`${DESKTOP}/node_modules`)) run(DESKTOP, 'npm', 'ci', '--no-audit', '--no-fund');
  if (!existsSync(`${RUNTIME}/node_modules`)) run(RUNTIME, 'npm', 'ci', '--no-audit', '--no-fund');
  if (!existsSync(ELECTRON)) run(RUNTIME, process.execPath, 'unpack.mjs', ELECTRON);
  // Not with everything else: it needs Electron's types.
  run(DESKTOP, 'npm', 'run', 'lint');
  run(DESKTOP, 'npm', 'run', 'build');
  const settings = [
    'electronVersion=33.2.1',
    `electronDist=${ELECTRON}`,
    `directories.output=${APP}`,
    'electronFuses.enableNodeCliInspectArguments=true',
  ];
  run(DESKTOP, 'npm', 'run', 'dist:dir', '--', ...settings.map((setting) => `-c.${setting}`));
}

/** Starts a program that says one line on this descriptor once it is ready. */
async function startTelling(
  children: ChildProcess[],
  command: string,
  words: string[],
  descriptor: 1 | 3,
): Promise<string> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
    child.stdio[descriptor]?.once('data', (line: Buffer) => resolve(line.toString().trim()));
  });
}
