/**
 * A process that opens the JSON-file store in `argv[2]` and appends, many at once, until it is killed. It prints the id
 * of each generation and key (ids begin with `argv[3]`) after, and only after, the store has acknowledged it.
 *
 * Run from the sources: nothing here or below needs more than the removal of types.
 */
import { writeSync } from 'node:fs';

import { createJsonFileStore } from '../../../packages/node/src/stores/json-file-store.ts';
import { toKey, toKilledContent, toRecord } from './generation-records.ts';

const [, , dir = '', prefix = ''] = process.argv;
const AT_ONCE = 16;

/** Writes a line at once and whole: a pipe that is full takes nothing, or a part of it. */
function print(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const store = await createJsonFileStore({ dir });
let count = 0;

async function work(): Promise<never> {
  for (;;) {
    count += 1;
    const id = `${prefix}-${count}`;
    if (count % 50 === 0) {
      await store.keys.insert(toKey(`key-${id}`));
      print(`key-${id}`);
    } else {
      await store.generations.append(toRecord(id), toKilledContent(id));
      print(id);
    }
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
