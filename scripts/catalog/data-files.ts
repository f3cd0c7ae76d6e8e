import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { DatedModels } from '../../packages/core/src/catalog/dated-models.ts';

const FORMATTER = fileURLToPath(new URL('../../node_modules/.bin/oxfmt', import.meta.url));
const CONFIG = fileURLToPath(new URL('../../.oxfmtrc.json', import.meta.url));

/** One file of the built-in catalog. */
export interface DataFile {
  readonly path: string;
  readonly data: DatedModels<string>;
}

/** Loads every data file of a directory. */
export async function loadDataFiles(directory: string): Promise<readonly DataFile[]> {
  const names = readdirSync(directory).filter((name) => name.endsWith('.ts'));
  return Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const [data] = Object.values((await import(pathToFileURL(path).href)) as Record<string, DatedModels<string>>);
      if (data === undefined) throw new Error(`${path} exports nothing.`);
      return { path, data };
    }),
  );
}

/** Replaces the one object of a data file, and keeps the text before it. */
export function saveDataFile(path: string, data: DatedModels<string>): void {
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf(' = {');
  if (start === -1) throw new Error(`${path} has no object to replace.`);
  // It has no line breaks, as the formatter leaves an object on one line only where its first key follows the brace.
  writeFileSync(path, `${text.slice(0, start)} = ${JSON.stringify(data)};\n`);
  execFileSync(FORMATTER, ['-c', CONFIG, path], { stdio: 'ignore' });
}
