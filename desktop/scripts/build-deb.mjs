#!/usr/bin/env node
// Makes a Debian package with dpkg-deb, called as electron-builder calls fpm (`CUSTOM_FPM_PATH`):
//   build-deb.mjs -s dir --force -t deb --package OUT.deb --name NAME … SOURCE/=/TARGET ICON.png=/TARGET.png …
// fpm itself would be downloaded from GitHub, and is no package of Debian's. An option that is not known here ends it:
// what electron-builder asks for must not be missing silently from the package.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { ...text, short: 's' },
    target: { ...text, short: 't' },
    force: { type: 'boolean' },
    depends: { ...text, short: 'd', multiple: true, default: [] },
    'deb-recommends': { ...text, multiple: true, default: [] },
    'deb-compression': { ...text, default: 'xz' },
    'deb-priority': { ...text, default: 'optional' },
    'after-install': text,
    'after-remove': text,
    architecture: text,
    category: { ...text, default: 'misc' },
    description: text,
    license: text,
    maintainer: text,
    name: text,
    package: text,
    url: text,
    vendor: text,
    version: text,
  },
});
if (values.source !== 'dir' || values.target !== 'deb') throw new Error('Only -s dir -t deb is done here');

const root = mkdtempSync(join(tmpdir(), 'build-deb-'));
try {
  const files = layOut(positionals);
  writeControl(files);
  // Its names for gz, xz and none differ from fpm's for gz alone.
  const compression = values['deb-compression'].replace(/^gz$/, 'gzip');
  const words = ['--root-owner-group', `-Z${compression}`, '--build', root, values.package];
  execFileSync('dpkg-deb', words, { stdio: ['ignore', 'ignore', 'inherit'] });
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Copies every `SOURCE=TARGET` to its place. Returns the files, relative to the root of the package. */
function layOut(pairs) {
  for (const pair of pairs) {
    const at = pair.lastIndexOf('=');
    const target = join(root, pair.slice(at + 1));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(pair.slice(0, at), target, { recursive: true, verbatimSymlinks: true });
  }
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) permit(join(entry.parentPath, entry.name));
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/**
 * Sets the permissions that Debian requires, whatever the umask of this machine: all users read, only the owner writes.
 */
function permit(path) {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  chmodSync(path, found.isDirectory() || (found.mode & 0o111) !== 0 ? 0o755 : 0o644);
}

function writeControl(files) {
  chmodSync(root, 0o755);
  const control = join(root, 'DEBIAN');
  mkdirSync(control, { mode: 0o755 });
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(root, file)).size, 0);
  const fields = {
    Package: values.name,
    Version: values.version,
    Architecture: values.architecture,
    Maintainer: values.maintainer,
    'Installed-Size': Math.ceil(bytes / 1024),
    Depends: values.depends.join(', '),
    Recommends: values['deb-recommends'].join(', '),
    Section: values.category,
    Priority: values['deb-priority'],
    Homepage: values.url,
    Vendor: values.vendor,
    License: values.license,
    Description: toDescription(values.description),
  };
  const lines = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  writeFileSync(join(control, 'control'), `${lines.map(([name, value]) => `${name}: ${value}`).join('\n')}\n`);
  const sums = files.map(
    (file) =>
      `${createHash('md5')
        .update(readFileSync(join(root, file)))
        .digest('hex')}  ${file}\n`,
  );
  writeFileSync(join(control, 'md5sums'), sums.join(''), { mode: 0o644 });
  for (const [name, script] of Object.entries({ postinst: values['after-install'], postrm: values['after-remove'] })) {
    if (script !== undefined) writeFileSync(join(control, name), readFileSync(script), { mode: 0o755 });
  }
}

/**
 * The first line is the synopsis; further ones begin with a blank, and an empty one is a dot (Debian Policy 5.6.13).
 */
function toDescription(description = '') {
  const [synopsis, ...rest] = description.split('\n').map((line) => line.trim());
  return [synopsis, ...rest.map((line) => ` ${line === '' ? '.' : line}`)].join('\n');
}
