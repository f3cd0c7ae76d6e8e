import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import type { TestProject } from 'vitest/node';

import { installPackages } from '../support/install-packages.ts';
import { makePackages, packageApp, type PackagedApp } from './package-app.ts';
import { startBus, startTelling } from './start-telling.ts';

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
  const display = await startTelling('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], 3);
  const bus = await startBus();
  const env = { DISPLAY: `:${display.line}`, DBUS_SESSION_BUS_ADDRESS: bus.line };
  project.provide('desktop', { ...packaged, packages, env });
  return () => {
    for (const { child } of [display, bus]) child.kill();
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
