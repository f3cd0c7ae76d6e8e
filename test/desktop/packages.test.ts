import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { freePort } from '../support/test-run/free-port.ts';
import { createUserDir, launchApp, packagedApp, packagesSkipped, skipped } from './desktop-app.ts';
import { DESKTOP, executableIn, readFuses } from './package-app.ts';

/** Fuses that no user can switch on in a released app. Debuggers attach by `EnableNodeCliInspectArguments`. */
const RELEASED_FUSES = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
};

const run = (command: string, ...words: string[]): string => execFileSync(command, words).toString();

/** The only file of this ending among what was made. */
function packageOf(ending: string): string {
  const { packages } = packagedApp();
  if ('skipped' in packages) throw new Error(packages.skipped);
  const found = readdirSync(packages.dir).filter((name) => name.endsWith(ending));
  expect(found).toHaveLength(1);
  return join(packages.dir, found[0] ?? '');
}

test.skipIf(skipped !== undefined)('the packaged app has the fuses of a release', () => {
  expect(packagedApp().fuses).toEqual(RELEASED_FUSES);
});

describe.skipIf(packagesSkipped !== undefined)(
  `what users install${packagesSkipped === undefined ? '' : `, skipped: ${packagesSkipped}`}`,
  { timeout: 120_000 },
  () => {
    /** Where each leaves the app when it is unpacked. */
    test.each([
      {
        ending: '.tar.gz',
        unpack: (file: string, folder: string) => run('tar', '-xzf', file, '-C', folder, '--strip-components=1'),
        appDir: '',
      },
      {
        ending: '.zip',
        unpack: (file: string, folder: string) => run('unzip', '-q', file, '-d', folder),
        appDir: '',
      },
      {
        ending: '.deb',
        unpack: (file: string, folder: string) => run('dpkg-deb', '-x', file, folder),
        appDir: 'opt/Model Gateway',
      },
    ])('the $ending unpacks to an app that opens its window and quits', async ({ ending, unpack, appDir }) => {
      const folder = createUserDir();
      unpack(packageOf(ending), folder);
      const executable = executableIn(join(folder, appDir));
      expect(readFuses(executable, '--attachable')).toEqual(RELEASED_FUSES);
      const { page, until, quit } = await launchApp({ executable, port: await freePort() });
      await until(({ state }) => state.phase === 'listening' && state.port !== 8855);
      await page.getByRole('navigation').first().waitFor();
      expect(await quit()).toBe(0);
    });

    test('the .deb says what it is, what it needs, and where its icon and its menu entry are', () => {
      const deb = packageOf('.deb');
      const control = run('dpkg-deb', '--field', deb);
      expect(control).toMatch(/^Package: model-gateway-desktop$/m);
      expect(control).toMatch(/^Version: \d+\.\d+\.\d+$/m);
      expect(control).toMatch(/^Architecture: amd64$/m);
      expect(control).toMatch(/^Maintainer: .+ <.+@.+>$/m);
      expect(control).toMatch(/^Depends: .*libgtk-3-0.*libsecret-1-0/m);
      expect(control).toMatch(/^Installed-Size: \d{6}$/m);
      expect(control).toMatch(/^Description: \S.*\n \S.*$/m);
      const folder = createUserDir();
      run('dpkg-deb', '-x', deb, folder);
      const entry = readFileSync(join(folder, 'usr/share/applications/model-gateway-desktop.desktop'), 'utf8');
      expect(entry).toMatch(/^Exec="\/opt\/Model Gateway\/model-gateway-desktop" %U$/m);
      expect(entry).toMatch(/^Icon=model-gateway-desktop$/m);
      expect(entry).toMatch(/^Categories=Development;$/m);
      for (const size of [16, 48, 256, 512]) {
        const icon = join(folder, `usr/share/icons/hicolor/${size}x${size}/apps/model-gateway-desktop.png`);
        // Width and height stand in the header of a PNG.
        expect([readFileSync(icon).readUInt32BE(16), readFileSync(icon).readUInt32BE(20)]).toEqual([size, size]);
      }
    });

    test('the .deb lets only root write, and its sums and scripts are sound', () => {
      const deb = packageOf('.deb');
      const listed = run('dpkg-deb', '--contents', deb).trim().split('\n');
      expect(listed.length).toBeGreaterThan(20);
      expect(listed.filter((line) => !/^(d|-|l)rw[x-]r-[x-]r-[x-] root\/root /.test(line))).toEqual([]);
      const [folder, control] = [createUserDir(), join(createUserDir(), 'control')];
      mkdirSync(control);
      run('dpkg-deb', '-x', deb, folder);
      run('dpkg-deb', '-e', deb, control);
      execFileSync('md5sum', ['--quiet', '-c', join(control, 'md5sums')], { cwd: folder });
      for (const script of ['postinst', 'postrm']) run('bash', '-n', join(control, script));
    });
  },
);

/** Each is made on its own system, where electron-builder downloads the Electron that is released with. */
for (const { platform, script, endings } of [
  { platform: 'darwin', script: 'dist:mac', endings: ['.dmg', '.zip'] },
  { platform: 'win32', script: 'dist:win', endings: ['.exe', '.zip'] },
]) {
  const isHere = process.platform === platform && process.env['TEST_FULL'] === '1';
  const why = isHere ? '' : `, skipped: runs on ${platform} with TEST_FULL=1`;
  test.skipIf(!isHere)(`${script} makes ${endings.join(' and ')}${why}`, { timeout: 600_000 }, () => {
    const folder = createUserDir();
    const npm = (...words: string[]): string => run('npm', '--prefix', DESKTOP, ...words);
    npm('ci');
    npm('run', 'build');
    npm('run', script, '--', `-c.directories.output=${folder}`);
    const made = readdirSync(folder);
    for (const ending of endings) expect(made.some((name) => name.endsWith(ending))).toBe(true);
  });
}
