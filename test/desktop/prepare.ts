import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

import type { TestProject } from 'vitest/node';

import { installPackages } from '../support/install-packages.ts';
import { makePackages, packageApp, type PackagedApp } from './package-app.ts';

/** What the tests run: a packaged app, a display and a session bus; or why they cannot. */
export type DesktopStage =
  | (PackagedApp & {
      readonly env: Readonly<Record<string, string>>;
      /** The folder of the archives and the Debian package, or why they were not made. */
      readonly packages: { readonly dir: string } | { readonly skipped: string };
    })
  | { readonly skipped: string };

declare module 'vitest' {
  interface ProvidedContext {
    desktop: DesktopStage;
  }
}

const PROGRAMS = { Xvfb: 'xvfb', 'dbus-daemon': 'dbus' };
const PACKAGING = { '7zz': '7zip', unzip: 'unzip', 'dpkg-deb': 'dpkg' };
const LIBRARIES = {
  'libgtk-3.so.0': 'libgtk-3-0',
  'libnss3.so': 'libnss3',
  'libasound.so.2': 'libasound2',
  'libgbm.so.1': 'libgbm1',
  'libxkbcommon.so.0': 'libxkbcommon0',
};

/** Packages the app, and starts what it needs around it. */
export async function setup(project: TestProject): Promise<(() => void) | void> {
  const reason = findObstacle();
  if (reason !== undefined) {
    project.provide('desktop', { skipped: reason });
    return;
  }
  const packaged = await packageApp();
  const packages = await makePackagesIfWanted();
  const children: ChildProcess[] = [];
  const display = await startTelling(
    children,
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    3,
  );
  const bus = await startTelling(children, 'dbus-daemon', ['--session', '--nofork', '--print-address'], 1);
  const env = { DISPLAY: `:${display}`, DBUS_SESSION_BUS_ADDRESS: bus };
  project.provide('desktop', { ...packaged, packages, env });
  return () => {
    for (const child of children) child.kill();
  };
}

/** Why nothing can be run here, also after an attempt to install it; undefined when it can. */
export function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the test runtime is for Linux x64 only';
  return installPackages(() => [...missingPrograms(PROGRAMS), ...missingLibraries()]);
}

async function makePackagesIfWanted(): Promise<{ readonly dir: string } | { readonly skipped: string }> {
  if (process.env['TEST_FULL'] !== '1') return { skipped: 'takes a minute or two; TEST_FULL=1 runs it' };
  const obstacle = installPackages(() => missingPrograms(PACKAGING));
  return obstacle === undefined ? { dir: await makePackages() } : { skipped: obstacle };
}

/** `wanted` has the names of their Debian packages. */
function missingPrograms(wanted: Readonly<Record<string, string>>): string[] {
  const paths = (process.env['PATH'] ?? '').split(':');
  return Object.entries(wanted)
    .filter(([program]) => !paths.some((path) => existsSync(`${path}/${program}`)))
    .map(([, name]) => name);
}

function missingLibraries(): string[] {
  const libraries = execFileSync('/sbin/ldconfig', ['-p']).toString();
  return Object.entries(LIBRARIES)
    .filter(([library]) => !libraries.includes(library))
    .map(([, name]) => name);
}

/** Starts a program that says one line on this descriptor once it is ready. */
export async function startTelling(
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
