// In the single executable, stands in for the modules of Node.js by which files beside the code are read. Those files are
// assets, under their paths in the repository, and have addresses below the executable, as if it were a folder.
import * as fs from 'node:fs';
import { readFile as readRealFile } from 'node:fs/promises';
import { sep } from 'node:path';
import process from 'node:process';
import { getAsset, getAssetKeys } from 'node:sea';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker as RealWorker } from 'node:worker_threads';

const BEGIN = process.execPath + sep;

/** What `import.meta.url` is in the module of this path. */
export const toOwnUrl = (path) => pathToFileURL(BEGIN + path).href;

export function existsSync(path) {
  const name = toName(path);
  return name === undefined ? fs.existsSync(path) : isAsset(name) || listFolder(name).length > 0;
}

export function readFileSync(path, encoding) {
  const name = toName(path);
  if (name === undefined) return fs.readFileSync(path, encoding);
  if (!isAsset(name)) throw Object.assign(new Error(`The executable has no ${name}`), { code: 'ENOENT' });
  const bytes = Buffer.from(getAsset(name));
  return encoding === undefined ? bytes : bytes.toString(encoding);
}

export function readdirSync(path, options) {
  const name = toName(path);
  if (name === undefined) return fs.readdirSync(path, options);
  const entries = listFolder(name);
  return options?.withFileTypes === true ? entries : entries.map((entry) => entry.name);
}

/** The function of `node:fs/promises`. */
export const readFile = async (path, encoding) =>
  toName(path) === undefined ? readRealFile(path, encoding) : readFileSync(path, encoding);

/** Its code is an asset. */
export class Worker extends RealWorker {
  constructor(url, options) {
    super(readFileSync(url, 'utf8'), { ...options, eval: true });
  }
}

/** The name of an asset, or of a folder of them; undefined for a path of the file system. */
function toName(path) {
  const text = path instanceof URL ? fileURLToPath(path) : path;
  return text.startsWith(BEGIN) ? text.slice(BEGIN.length).replaceAll(sep, '/') : undefined;
}

const isAsset = (name) => getAssetKeys().includes(name);

function listFolder(name) {
  const begin = `${name}/`;
  const paths = getAssetKeys().flatMap((key) => (key.startsWith(begin) ? [key.slice(begin.length).split('/')] : []));
  const folders = new Map(paths.map(([first, ...rest]) => [first, rest.length > 0]));
  return [...folders].map(([entry, isFolder]) => ({ name: entry, isDirectory: () => isFolder }));
}
