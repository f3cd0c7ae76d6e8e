import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface PackageFile {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly default: string }>>;
}

/**
 * The public paths of our packages, each with the source file behind it, relative to `root`: `@model-gateway/core` →
 * `packages/core/src/index.ts`.
 */
export function readEntryPoints(root: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const file of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as PackageFile;
    const folder = path.dirname(file).replaceAll(path.sep, '/');
    for (const [subpath, { default: built }] of Object.entries(exports)) {
      const source = built.replace(
        /^\.\/dist\/(testing\/)?(.*)\.js$/,
        (_, testing: string = 'src/', file: string) => `${testing}${file}.ts`,
      );
      entries.set(name + subpath.slice(1), path.posix.join(folder, source));
    }
  }
  return entries;
}
