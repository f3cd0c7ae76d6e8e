// Makes the tarballs that would be published and prints their sizes: `npm run pack:all`, into `packed/`.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { IN_CHUNKS, stagePackage } from './stage-packages.ts';
import { writeEngines } from './write-engines.ts';

/** A tarball as `npm pack` made it. */
export interface PackedPackage {
  readonly name: string;
  /** The whole path of the tarball. */
  readonly tarball: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = `${ROOT}packed`;
const STAGE = `${TARGET}/stage`;

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(toTable(await packAll()));

/** Packs every package of the workspace, which has to be built. What was in `packed/` goes. */
export async function packAll(): Promise<readonly PackedPackage[]> {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET);
  const folders = globSync('packages/*/package.json', { cwd: ROOT }).map((file) => basename(dirname(file)));
  const removeEngines = writeEngines();
  try {
    const staged = folders.map(async (folder) => {
      const inChunks = IN_CHUNKS.find((each) => each === folder);
      if (inChunks === undefined) return `packages/${folder}`;
      await stagePackage(inChunks, `${STAGE}/${folder}`);
      return `${STAGE}/${folder}`;
    });
    return pack(await Promise.all(staged));
  } finally {
    removeEngines();
    rmSync(STAGE, { recursive: true, force: true });
  }
}

function pack(folders: readonly string[]): readonly PackedPackage[] {
  const places = folders.map((folder) => (isAbsolute(folder) ? folder : `./${folder}`));
  const words = ['pack', ...places, '--json', '--ignore-scripts', '--pack-destination', TARGET];
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const packed = JSON.parse(stdout) as
    | readonly (PackedPackage & { readonly filename: string })[]
    | Readonly<Record<string, PackedPackage & { readonly filename: string }>>;
  // npm 12 names them by package, older ones list them.
  return Object.values(packed)
    .map(({ name, filename, size, unpackedSize, files }) => {
      const tarball = `${TARGET}/${filename.replace('@', '').replace('/', '-')}`;
      return { name, tarball, size, unpackedSize, files };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** The sizes as a table in Markdown. */
function toTable(packed: readonly PackedPackage[]): string {
  const toMb = (bytes: number): string => (bytes / 1e6).toFixed(2);
  const rows = packed.map(
    ({ name, files, size, unpackedSize }) => `| ${name} | ${files.length} | ${toMb(size)} | ${toMb(unpackedSize)} |`,
  );
  return ['| Package | Files | MB packed | MB unpacked |', '| --- | --: | --: | --: |', ...rows, ''].join('\n');
}
