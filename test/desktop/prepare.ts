import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { TestProject } from 'vitest/node';

import { installPackages } from '../support/test-run/install-packages.ts';
import type { DesktopStage } from './get-stage.ts';
import { makePackages, packageApp } from './package-app.ts';
import { startBus, startTelling } from './start-telling.ts';

const PROGRAMS = { Xvfb: 'xvfb', 'dbus-daemon': 'dbus' };
const PACKAGING = { '7zz': '7zip', unzip: 'unzip', 'dpkg-deb': 'dpkg' };
const LIBRARIES = {
  'libgtk-3.so.0': 'libgtk-3-0',
  'libnss3.so': 'libnss3',
  'libasound.so.2': 'libasound2',
  'libgbm.so.1': 'libgbm1',
  'libxkbcommon.so.0': 'libxkbcommon0',
};

/**
 * Packages the app and starts the parts around it, while other tests already run: the desktop tests come last. A
 * request for the stage is resolved when the stage is ready; a failure rejects the request.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const setting = setStage();
  // The error is reported to the test that requests the stage, which may be minutes later.
  setting.catch(() => undefined);
  const server = createServer((_request, response) => {
    setting.then(
      ({ stage }) => response.end(JSON.stringify(stage)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.stack : String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('desktopStageUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    const { children } = await setting.catch(() => ({ children: [] }));
    for (const child of children) child.kill();
  };
}

async function setStage(): Promise<{ readonly stage: DesktopStage; readonly children: readonly ChildProcess[] }> {
  // Packages are installed first, before other tests have begun: nothing else runs meanwhile.
  const reason = findObstacle();
  if (reason !== undefined) return { stage: { skipped: reason }, children: [] };
  const skipped = findObstacleToPackages();
  const packaged = await packageApp();
  const packages = skipped === undefined ? { dir: await makePackages() } : { skipped };
  const display = await startTelling('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], 3);
  const bus = await startBus();
  const env = { DISPLAY: `:${display.line}`, DBUS_SESSION_BUS_ADDRESS: bus.line };
  return { stage: { ...packaged, packages, env }, children: [display.child, bus.child] };
}

/** Why nothing can be run here, also after an attempt to install it; undefined when it can. */
export function findObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the test runtime is for Linux x64 only';
  return installPackages(() => [...missingPrograms(PROGRAMS), ...missingLibraries()]);
}

function findObstacleToPackages(): string | undefined {
  if (process.env['TEST_FULL'] !== '1') return 'takes a minute or two; TEST_FULL=1 runs it';
  return installPackages(() => missingPrograms(PACKAGING));
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
