import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

import { toAscii } from '../to-ascii.js';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const OWN_FILES = fileURLToPath(new URL('own-files.js', import.meta.url));

/**
 * The modules of Node.js by which our code reads files, each with what of it is of `own-files.js` instead: the files
 * that our modules know by their place beside them are assets of the executable.
 */
const STAND_INS = new Map([
  ['node:fs', 'existsSync, readdirSync, readFileSync'],
  ['node:fs/promises', 'readFile'],
  ['node:worker_threads', 'Worker'],
]);
const STAND_IN = '\0stand-in:';

/**
 * Makes one text of CommonJS of an entry and all that it imports, late or not; it loads nothing but modules of Node.js.
 * Returns it with the folders of other people's packages that are inside, and with the files that our modules name as
 * being beside them.
 */
export async function bundle(entry) {
  const ownFiles = [];
  const build = await rolldown({
    cwd: ROOT,
    input: entry,
    platform: 'node',
    external: (id, importer) => id.startsWith('node:') && !hasStandIn(id, importer),
    plugins: [readOwnFiles(ownFiles)],
    // What jsonc-parser has for CommonJS imports its parts in a way that cannot be seen.
    resolve: { mainFields: ['module', 'main'] },
    // unpdf and PDF.js look by it for files that are not needed here, and do without.
    transform: { define: { 'import.meta': '{}' } },
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  const { output } = await build.generate({
    format: 'cjs',
    codeSplitting: false,
    dynamicImportInCjs: false,
    // Names stay, for stacks.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  refuseLeftImports(output[0].code);
  const [{ code, moduleIds }] = output;
  const folders = new Set(
    moduleIds.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(slashed(path)) ?? []),
  );
  return { code: toAscii(code), folders: [...folders], ownFiles };
}

/** The terms of the packages in these folders. */
export function readLicenses(folders) {
  const texts = folders.toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    return `${name} ${version}\n\n${file === undefined ? license : readFileSync(join(folder, file), 'utf8')}`;
  });
  return texts.join('\n\n');
}

/** Notes in `ownFiles` what our modules name by `new URL('…', import.meta.url)`. */
function readOwnFiles(ownFiles) {
  return {
    name: 'own-files',
    resolveId: (source, importer) => (hasStandIn(source, importer) ? STAND_IN + source : null),
    load(id) {
      if (!id.startsWith(STAND_IN)) return null;
      const name = id.slice(STAND_IN.length);
      return `export * from '${name}';\nexport { ${STAND_INS.get(name)} } from ${JSON.stringify(OWN_FILES)};`;
    },
    transform(code, id) {
      const importer = toOwnModule(id);
      if (importer === undefined || !code.includes('import.meta.url')) return null;
      for (const [, named] of code.matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url/g))
        ownFiles.push({ importer, file: posix.join(posix.dirname(importer), named).replace(/\/$/, '') });
      const url = `toOwnUrl(${JSON.stringify(importer)})`;
      return `import { toOwnUrl } from ${JSON.stringify(OWN_FILES)};\n${code.replaceAll('import.meta.url', url)}`;
    },
  };
}

function hasStandIn(source, importer) {
  return STAND_INS.has(source) && importer !== undefined && toOwnModule(importer) !== undefined;
}

/** The path of a module of this workspace in the repository; undefined for all others, for stand-ins and `own-files.js`. */
function toOwnModule(id) {
  // Not a path: taken for one, it would lie in the folder that the build runs in.
  if (id.startsWith('\0')) return undefined;
  const path = slashed(relative(ROOT, id));
  return /^packages\/(?!.*\bnode_modules\/)/.test(path) && id !== OWN_FILES ? path : undefined;
}

/** In the executable nothing but modules of Node.js can be loaded, and the first to notice would be a user. */
function refuseLeftImports(code) {
  const [left] = /require[\w$]*\(["'`]\.[^)]*\)/.exec(code) ?? [];
  if (left !== undefined) throw new Error(`The bundle still has ${left}`);
}

const slashed = (path) => path.replaceAll(sep, '/');
