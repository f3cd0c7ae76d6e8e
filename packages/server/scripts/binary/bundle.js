import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const OWN_FILES = fileURLToPath(new URL('own-files.js', import.meta.url));

/** The modules that know files by their place beside them, each with what it reads them by. */
const READERS = new Map([
  ['packages/fixtures/dist/case/load-fixtures.js', 'node:fs'],
  ['packages/fixtures/dist/case/read-json.js', 'node:fs'],
  ['packages/fixtures/dist/recorder-versions.js', 'node:fs'],
  ['packages/fixtures/dist/transport/provider-file.js', 'node:fs'],
  ['packages/node/dist/web/read-in-worker.js', 'node:worker_threads'],
  ['packages/server/dist/main.js', 'node:fs'],
  ['packages/server/dist/plan-start.js', undefined],
  ['packages/server/dist/ui/serve-ui.js', 'node:fs/promises'],
  ['packages/ui/index.js', undefined],
]);

/**
 * Makes one text of CommonJS of an entry and all that it imports, late or not; it loads nothing but modules of Node.js.
 * Returns it with the folders of other people's packages that are inside.
 */
export async function bundle(entry) {
  const build = await rolldown({
    cwd: ROOT,
    input: entry,
    platform: 'node',
    external: (id, importer) => id.startsWith('node:') && !isRead(id, importer),
    plugins: [ownFiles],
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
  return { code: toAscii(code), folders: [...folders] };
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

const ownFiles = {
  name: 'own-files',
  resolveId: (source, importer) => (isRead(source, importer) ? OWN_FILES : null),
  transform(code, id) {
    const path = slashed(relative(ROOT, id));
    if (!code.includes('import.meta.url') || id === OWN_FILES || path.includes('node_modules/')) return null;
    if (!READERS.has(path))
      throw new Error(`${path} uses import.meta.url: add it to READERS of ${import.meta.filename}`);
    const url = `toOwnUrl(${JSON.stringify(path)})`;
    return `import { toOwnUrl } from ${JSON.stringify(OWN_FILES)};\n${code.replaceAll('import.meta.url', url)}`;
  },
};

function isRead(source, importer) {
  return importer !== undefined && READERS.get(slashed(relative(ROOT, importer))) === source;
}

/** In the executable nothing but modules of Node.js can be loaded, and the first to notice would be a user. */
function refuseLeftImports(code) {
  const [left] = /require[\w$]*\(["'`]\.[^)]*\)/.exec(code) ?? [];
  if (left !== undefined) throw new Error(`The bundle still has ${left}`);
}

const slashed = (path) => path.replaceAll(sep, '/');

/** V8 keeps a text of ASCII in half the memory. In code, characters beyond it are in literals alone. */
function toAscii(code) {
  const [escaped] = /\\[^\0-\x7f].{20}/.exec(code) ?? [];
  if (escaped !== undefined) throw new Error(`An escaped character cannot be written in ASCII: ${escaped}`);
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
