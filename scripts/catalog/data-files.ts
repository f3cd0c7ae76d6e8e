import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { DatedModels } from '../../packages/core/src/catalog/built-in-models.ts';

const FORMATTER = fileURLToPath(new URL('../../node_modules/.bin/oxfmt', import.meta.url));
const CONFIG = fileURLToPath(new URL('../../.oxfmtrc.json', import.meta.url));

/** One file of the built-in catalog. */
export interface DataFile {
  readonly path: string;
  readonly data: DatedModels;
}

/** Reads every data file of a directory. */
export function readDataFiles(directory: string): readonly DataFile[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  return names.map((name) => {
    const path = join(directory, name);
    return { path, data: JSON.parse(readFileSync(path, 'utf8')) as DatedModels };
  });
}

/** Writes a data file again, as the formatter leaves it. */
export function saveDataFile(path: string, data: DatedModels): void {
  // It has no line breaks, as the formatter leaves an object on one line only where its first key follows the brace.
  writeFileSync(path, `${JSON.stringify(data)}\n`);
  execFileSync(FORMATTER, ['-c', CONFIG, path], { stdio: 'ignore' });
}
