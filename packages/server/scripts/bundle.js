// Bundles the command with what it needs of this workspace: loading all of that file by file took a third of each start
// (docs/decisions/0020-one-bundle-for-the-command.md).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

import { toAscii } from './to-ascii.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

const target = at('../bundle');
const bundled = ['core', 'node', 'fixtures', 'postgres', 'redis', 'ai-sdk', 'clients', 'ui'].map((folder) =>
  readJson(at(`../../${folder}/package.json`)),
);
// zod's own entry loads its messages in every language, of which one is used.
const inlined = new Set([...bundled.map(({ name }) => name), 'zod']);

checkManifests();
const build = await rolldown({
  cwd: at('..'),
  input: {
    main: at('../dist/main.js'),
    // Started by its file name, in the folder of the file that starts it.
    'reading-worker': at('../../node/dist/web/reading-worker.js'),
    'binding-server': at('../dist/engine/binding-server.js'),
  },
  platform: 'node',
  // The built UI is a copy beside the command (copy-parts.js), so that the one package is enough to run it.
  resolve: { alias: { '@model-gateway/ui$': at('./ui-directory.js') } },
  external: (id) => !id.startsWith('.') && !isAbsolute(id) && !inlined.has(packageOf(id)),
  // A module that one command loads late is loaded at once by another command.
  checks: { ineffectiveDynamicImport: false },
  logLevel: 'warn',
  onLog(_level, { message }) {
    throw new Error(message);
  },
});
const { output } = await build.generate({
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Code that is all ASCII and without comments is read faster.
  comments: false,
  // Each with all that it imports, so that no chunk imports one that imports it (docs/decisions/0120).
  codeSplitting: {
    groups: [
      { name: 'command', test: at('../dist/main.js'), priority: 2 },
      { name: 'gateway', test: at('../dist/serve/serve.js'), priority: 1 },
      { name: 'openai', test: at('../../core/dist/providers/openai/openai-provider.js') },
    ],
  },
});
await build.close();
writeFiles(
  new Map([...output.map(({ fileName, code }) => [fileName, toAscii(code)]), ['LICENSES.txt', readLicenses()]]),
);

/** Bundled code imports the other packages from the location of the bundle, so they must be installed there. */
function checkManifests() {
  const command = readJson(at('../package.json'));
  for (const { name, version, dependencies, peerDependencies = {}, devDependencies = {} } of bundled) {
    if (version !== command.version) throw new Error(`${name} is ${version}, but packages/server ${command.version}`);
    for (const [dependency, pinned] of Object.entries({
      ...dependencies,
      ...pinsOf(peerDependencies, devDependencies),
    })) {
      if (inlined.has(dependency) || command.dependencies[dependency] === pinned) continue;
      throw new Error(`packages/server has to depend on ${dependency} ${pinned}, because ${name} does`);
    }
  }
}

/** Optional peers come with the command, in the versions that they are tested in. */
function pinsOf(peers, devDependencies) {
  return Object.fromEntries(
    Object.keys(peers).flatMap((name) => (name in devDependencies ? [[name, devDependencies[name]]] : [])),
  );
}

/** `@scope/name/path` and `name/path` without the path. */
function packageOf(id) {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The terms of other people's packages that are in the bundle. */
function readLicenses() {
  const modules = output.flatMap(({ moduleIds }) => moduleIds);
  const folders = new Set(modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version } = readJson(join(folder, 'package.json'));
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
  });
  return texts.join('\n\n');
}

/** Leaves alone what is there already, for those who are starting from it. */
function writeFiles(files) {
  mkdirSync(target, { recursive: true });
  for (const [name, text] of files) {
    const path = join(target, name);
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
  for (const name of readdirSync(target)) if (!files.has(name)) rmSync(join(target, name));
}
