import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

import { toAscii } from '../packages/server/scripts/to-ascii.js';

/**
 * Packages that are published as chunks: a file for each public path, and what they share (docs/decisions/0070). What
 * the compiler makes, a file a module, stays in `dist` for this workspace.
 */
export const IN_CHUNKS = ['core', 'node', 'express', 'fixtures', 'postgres', 'redis', 'ai-sdk'] as const;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Files that are started by their names, in the folder of the file that starts them: chunks stand in one folder. */
const STARTED: Readonly<Record<string, string>> = { 'reading-worker': 'web/reading-worker.js' };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
}

const readJson = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** Writes a built package into `target` as it is to be published, all but its engines. */
export async function stagePackage(folder: (typeof IN_CHUNKS)[number], target: string): Promise<void> {
  const from = join(ROOT, 'packages', folder);
  const { exports } = readJson(join(from, 'package.json'));
  mkdirSync(target, { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE']) cpSync(join(from, name), join(target, name));
  const entries = Object.values(exports);
  const code = await bundleCode(from, {
    ...toInput(
      from,
      entries.map(({ default: path }) => path),
    ),
    ...(folder === 'node' &&
      Object.fromEntries(Object.entries(STARTED).map(([name, path]) => [name, join(from, 'dist', path)]))),
  });
  const types = await bundleTypes(
    from,
    toInput(
      from,
      entries.map(({ types: path }) => path),
    ),
  );
  const files = new Map(
    [...code, ...types].map((file) => [file.fileName, 'code' in file ? file.code : String(file.source)]),
  );
  // As the command is (docs/decisions/0120): what is explained to users stays in the types.
  for (const file of code) if ('code' in file) files.set(file.fileName, toAscii(file.code));
  files.set('LICENSES.txt', readLicenses(code));
  for (const [name, text] of files) {
    const path = join(target, 'dist', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** `./dist/providers/openai.js` → `providers/openai`: a chunk of a public path keeps its place. */
const toInput = (from: string, paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    paths.map((path) => [path.replace(/^\.\/dist\//, '').replace(/(\.d\.ts|\.js)$/, ''), join(from, path)]),
  );

type Files = readonly (OutputChunk | OutputAsset)[];

/** zod is a part of each: its own entry loads its messages in every language, which is a third of the time to load. */
async function bundleCode(cwd: string, input: Record<string, string>): Promise<Files> {
  const build = await rolldown({
    cwd,
    input,
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !/^zod(\/|$)/.test(id),
    // What one public path loads late, another loads at once.
    checks: { ineffectiveDynamicImport: false, ...UNTIMED },
    logLevel: 'warn',
    onLog: refuse,
  });
  const names = {
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
  } as const;
  const { main, shared } = modulesOfMain((await build.generate(names)).output);
  const { output } = await build.generate({
    ...names,
    codeSplitting: {
      groups: [
        { name: 'shared', test: (id) => shared.has(id), priority: 1 },
        { name: 'main', test: (id) => main.has(id) },
      ],
    },
  });
  await build.close();
  return output;
}

/**
 * What the main path loads at once and no other path does. In one chunk it loads in two thirds of the time that it takes
 * in a hundred; the other paths stay as small as they are.
 */
function modulesOfMain(files: Files): { readonly main: ReadonlySet<string>; readonly shared: ReadonlySet<string> } {
  const chunks = new Map(files.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  const modulesOf = (entry: string): string[] => {
    const names = new Set([entry]);
    // A set also visits what is added meanwhile.
    for (const name of names) for (const imported of chunks.get(name)?.imports ?? []) names.add(imported);
    return [...names].flatMap((name) => chunks.get(name)?.moduleIds ?? []);
  };
  const others = [...chunks.values()].filter(({ isEntry, fileName }) => isEntry && fileName !== 'index.js');
  const ofOthers = new Set(others.flatMap(({ fileName }) => modulesOf(fileName)));
  const all = modulesOf('index.js');
  return {
    main: new Set(all.filter((id) => !ofOthers.has(id))),
    shared: new Set(all.filter((id) => ofOthers.has(id))),
  };
}

async function bundleTypes(cwd: string, input: Record<string, string>): Promise<Files> {
  const build = await rolldown({
    cwd,
    input,
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    checks: UNTIMED,
    plugins: [dts({ dtsOnly: true, generator: 'oxc', tsconfig: join(cwd, 'tsconfig.json'), sourcemap: false })],
    logLevel: 'warn',
    onLog: refuse,
  });
  const { output } = await build.generate({
    format: 'esm',
    chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}-[hash].d.ts`,
  });
  await build.close();
  return output;
}

/** What took long on a busy machine is no fault of what is bundled. */
const UNTIMED = { bundlerTimings: false };

function refuse(_level: string, { message }: { readonly message: string }): never {
  throw new Error(message);
}

/** The terms of other people's packages that are in the chunks. */
function readLicenses(files: Files): string {
  const modules = files.flatMap((file) => ('moduleIds' in file ? file.moduleIds : []));
  const folders = new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version } = readJson(join(folder, 'package.json'));
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
  });
  return texts.join('\n\n');
}
