import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { freePort } from '../support/test-run/free-port.ts';
import { appEnv, packagedApp, packagesSkipped } from './desktop-app.ts';
import { createScratchSystem, findObstacleToScratch } from './scratch-system.ts';

const skipped = packagesSkipped ?? findObstacleToScratch();
const NAME = 'model-gateway-desktop';
const HOME = '/home/tester';
const DATA = `${HOME}/.config/Model Gateway`;

/** What systems keep of every package that was once there: dpkg's own notes, logs, and caches that were rebuilt. */
const NOTES =
  /^\/(?:var\/(?:lib\/dpkg|log|cache)\/|usr\/share\/(?:mime\/|icons\/hicolor\/icon-theme\.cache|applications\/mimeinfo\.cache))/;

function findDeb(): string {
  const { packages } = packagedApp();
  if ('skipped' in packages) throw new Error(packages.skipped);
  return join(packages.dir, readdirSync(packages.dir).find((name) => name.endsWith('.deb')) ?? 'none');
}

test.skipIf(skipped !== undefined)(
  `the .deb is installed, starts from its menu entry, and leaves nothing but the data when it is removed${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  async () => {
    const system = createScratchSystem();
    // The libraries it depends on are not all packages here; what it needs to start is.
    system.run('dpkg', '--install', '--force-depends', findDeb());
    expect(system.run('dpkg-query', '--show', '--showformat', '${db:Status-Status}', NAME)).toBe('installed');
    const entry = system.run('cat', `/usr/share/applications/${NAME}.desktop`);
    const executable = /^Exec="(.+)" %U$/m.exec(entry)?.[1] ?? '';
    system.run('test', '-x', executable);
    expect(system.run('readlink', '-f', `/usr/bin/${NAME}`).trim()).toBe(executable);
    const icon = /^Icon=(.+)$/m.exec(entry)?.[1];
    system.run('test', '-s', `/usr/share/icons/hicolor/256x256/apps/${icon}.png`);

    const port = await freePort();
    system.write(`${DATA}/settings.json`, JSON.stringify({ settings: { port, demo: true } }));
    const { XDG_CONFIG_HOME: _own, ...env } = appEnv(DATA);
    const child = system.start({ ...env, HOME }, executable, '--no-sandbox', '--hidden');
    const exited = once(child, 'exit');
    const health = (): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(health, { timeout: 30_000 }).toBe(200);
    child.kill('SIGTERM');
    await exited;

    system.run('dpkg', '--remove', NAME);
    const left = system.changed().filter((path) => !NOTES.test(path));
    expect(left.filter((path) => !path.startsWith(`${HOME}/`))).toEqual([]);
    expect(left).toContain(`${DATA}/settings.json`);
  },
);
