// Makes one executable file of the command and Node.js (docs/binary.md).
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

import { bundle, readLicenses, ROOT } from './bundle.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { platform, execPath: node } = process;
const target = join(ROOT, 'binary', platform === 'win32' ? 'model-gateway.exe' : 'model-gateway');
const work = mkdtempSync(join(tmpdir(), 'model-gateway-binary-'));
try {
  await buildBinary();
} finally {
  rmSync(work, { recursive: true });
}

async function buildBinary() {
  const main = await bundle('packages/server/dist/main.js');
  const worker = await bundle('packages/node/dist/web/reading-worker.js');
  const assets = {
    ...listFiles('packages/server/dist/demo-fixtures'),
    ...listFiles('packages/ui/bundle'),
    'packages/server/dist/engine-texts.md': join(ROOT, 'packages/server/dist/engine-texts.md'),
    'packages/node/dist/web/reading-worker.js': write('reading-worker.cjs', worker.code),
    'main.cjs': write('main.cjs', `(function (exports, require, module) {${main.code}\n})`),
  };
  refuseMissing([...main.ownFiles, ...worker.ownFiles], Object.keys(assets));
  mkdirSync(dirname(target), { recursive: true });
  copyNode();
  inject(makeBlob({ ...assets, 'main.cache': compile(assets) }));
  writeFileSync(join(dirname(target), 'LICENSES.txt'), readAllLicenses([...main.folders, ...worker.folders]));
  const [ofAll, ofNode] = [target, node].map((file) => `${(statSync(file).size / 1e6).toFixed(1)} MB`);
  process.stdout.write(`${target}: ${ofAll}, of which Node.js ${process.version} is ${ofNode}\n`);
}

/** All files below a folder of the repository, by their paths in it. */
function listFiles(folder) {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return Object.fromEntries(files.map((file) => [relative(ROOT, file).replaceAll(sep, '/'), file]));
}

/** What a module knows beside it has to be inside the executable, where a user would be the first to miss it. */
function refuseMissing(ownFiles, names) {
  for (const { file, importer } of ownFiles) {
    if (!names.some((name) => name === file || name.startsWith(`${file}/`)))
      throw new Error(`${importer} reads ${file}: add it to the assets of ${import.meta.filename}`);
  }
}

function write(name, text) {
  const file = join(work, name);
  writeFileSync(file, text);
  return file;
}

/** Returns the file of what V8 compiles of the bundle until the demo listens; without it a start takes much longer. */
function compile(assets) {
  const [cache, bundleFile] = [join(work, 'main.cache'), assets['main.cjs']];
  const command = ['serve', '--demo', '--port', '0', '--data-dir', join(work, 'data')];
  run(node, [at('compile-main.cjs'), bundleFile, cache, write('assets.json', JSON.stringify(assets)), ...command]);
  const source = readFileSync(bundleFile, 'latin1');
  const { cachedDataRejected } = new Script(source, { filename: 'model-gateway.cjs', cachedData: readFileSync(cache) });
  if (cachedDataRejected !== false) throw new Error('V8 does not take what was compiled, so starts would be slow');
  return cache;
}

function makeBlob(assets) {
  const output = join(work, 'blob');
  const config = { main: at('load-main.cjs'), output, assets, disableExperimentalSEAWarning: true };
  run(node, ['--experimental-sea-config', write('sea.json', JSON.stringify(config))]);
  return output;
}

function copyNode() {
  // A file of the same name may be running.
  rmSync(target, { force: true });
  copyFileSync(node, target);
  chmodSync(target, 0o755);
  if (platform === 'darwin') run('codesign', ['--remove-signature', target]);
}

function inject(blob) {
  const postject = join(dirname(fileURLToPath(import.meta.resolve('postject'))), 'cli.js');
  const words = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
  if (platform === 'darwin') words.push('--macho-segment-name', 'NODE_SEA');
  run(node, [postject, target, 'NODE_SEA_BLOB', blob, ...words]);
  if (platform === 'darwin') run('codesign', ['--sign', '-', target]);
}

/** What the program prints is shown only if it fails. */
function run(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
}

function readAllLicenses(folders) {
  const ofNode = [dirname(node), dirname(dirname(node))].map((folder) => join(folder, 'LICENSE')).find(existsSync);
  const begin = ofNode === undefined ? '' : `Node.js ${process.version}\n\n${readFileSync(ofNode, 'utf8')}\n\n`;
  return begin + readLicenses([...new Set(folders)]);
}
