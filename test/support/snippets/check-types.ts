import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { placeOf, root, type Snippet } from './read-snippets.ts';

/**
 * What snippets import or are inserted into: copied, so that they are compiled at the place they are meant for, and
 * without being checked again, which takes most of the time.
 */
const COPIED = [
  ...['core/src', 'node/src', 'express/src', 'fixtures/src', 'clients/src'].map((dir) => `packages/${dir}`),
  'test/support/stores',
  'test/support/wires',
];

/** The lines of a file that stand in a page. */
interface Placed {
  readonly snippet: Snippet;
  /** Lines above it in the file. */
  readonly above: number;
}

/** Type-checks snippets of code as one program in an empty folder; the errors, each with its place in its page. */
export function checkTypes(snippets: readonly Snippet[], folder: string): string[] {
  copySources(folder);
  const placed = new Map<string, Placed>();
  const unplaced: string[] = [];
  const place = (file: string, above: string, snippet: Snippet, below = ''): void => {
    if (placed.has(file)) unplaced.push(`${placeOf(snippet)}: ${file} is changed by another snippet, too`);
    const text = `${above}${snippet.code}${below}`;
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
    placed.set(file, { snippet, above: above.split('\n').length - 1 });
  };
  for (const [index, snippet] of snippets.entries()) {
    const { given, at, into } = snippet;
    const head = given === '' ? '' : `${given}\n`;
    if (into === undefined) {
      place(at ?? `snippets/${index}.ts`, head, snippet, '\nexport {};\n');
      continue;
    }
    const text = head + readFileSync(root + into.file, 'utf8');
    const found = text.indexOf(into.text);
    if (found === -1) unplaced.push(`${placeOf(snippet)}: ${into.file} has no line with "${into.text}"`);
    const end = text.indexOf('\n', found) + 1;
    place(into.file, text.slice(0, into.replaces ? text.lastIndexOf('\n', found) + 1 : end), snippet, text.slice(end));
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(toConfig(folder, [...placed.keys()])));
  return [...unplaced, ...compile(folder, placed)];
}

function copySources(folder: string): void {
  for (const file of globSync(
    COPIED.map((source) => `${source}/**/*.ts`),
    { cwd: root },
  )) {
    if (file.endsWith('.test.ts')) continue;
    const copy = path.join(folder, file);
    mkdirSync(path.dirname(copy), { recursive: true });
    writeFileSync(copy, `// @ts-nocheck\n${readFileSync(root + file, 'utf8')}`);
  }
  for (const modules of ['node_modules', ...globSync('packages/*/node_modules', { cwd: root })]) {
    const link = path.join(folder, modules);
    if (existsSync(path.dirname(link))) symlinkSync(root + modules, link, 'junction');
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
}

/** The options of our own tests, with the copies in the place of their sources. */
function toConfig(folder: string, files: readonly string[]): object {
  const base = JSON.parse(readFileSync(`${root}test/tsconfig.json`, 'utf8')) as {
    compilerOptions: { paths: Record<string, string[]> };
  };
  const added = files.flatMap((file) => {
    const [, entry] =
      /^packages\/core\/src\/((?:providers|stores)\/([\w-]+))\/\2-(?:provider|store)\.ts$/.exec(file) ?? [];
    return entry === undefined ? [] : [[`@model-gateway/core/${entry}`, [path.join(folder, file)]] as const];
  });
  const paths = Object.entries(base.compilerOptions.paths).map(([entry, [relative = '']]) => {
    const source = relative.replace('../', '');
    const isCopied = COPIED.some((copied) => source.startsWith(`${copied}/`));
    return [entry, [path.join(isCopied ? folder : root, source)]];
  });
  return {
    extends: `${root}test/tsconfig.json`,
    compilerOptions: {
      incremental: false,
      rootDir: path.parse(root).root,
      tsBuildInfoFile: null,
      // With the public paths that pages say to add.
      paths: Object.fromEntries([...paths, ...added]),
    },
    include: [],
    files,
    references: [],
  };
}

function compile(folder: string, placed: ReadonlyMap<string, Placed>): string[] {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder, encoding: 'utf8' });
  if (run.status !== 0 && !run.stdout.includes('error TS')) throw new Error(run.stdout + run.stderr);
  return run.stdout.split('\n').flatMap((text) => {
    const [, file = '', row = '', code = '', message = ''] =
      /^(.+?)\((\d+),\d+\): error TS(\d+): (.*)$/.exec(text) ?? [];
    if (file === '') return text.startsWith('error') ? [text] : [];
    const line = Number(row) - (placed.get(file)?.above ?? 0);
    const snippet = placed.get(file)?.snippet;
    if (snippet === undefined || line < 1 || line > snippet.code.split('\n').length) {
      return [`${file}:${row}: ${message}`];
    }
    // JavaScript states no types, so a parameter may be of any.
    if (snippet.language === 'js' && /^7\d\d\d$/.test(code)) return [];
    return [`${snippet.page}:${snippet.line + line - 1}: ${message}`];
  });
}
