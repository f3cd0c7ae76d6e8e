/**
 * A process that opens a store in the database `argv[2]` with the journal `argv[3]` and appends `argv[4]` generations,
 * many at once, whose contents are turns of a conversation with `turns` as `argv[5]`. It prints the id and the cost of each after, and only after, the store has acknowledged it.
 *
 * Run from the sources: nothing here or below needs more than the removal of types.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';

import { openRecordJournal } from '../../../packages/node/src/stores/record-journal.ts';
import { createPostgresStore } from '../../../packages/postgres/src/create-postgres-store.ts';
import { toContent, toRecord, toTurns } from '../../support/stores/generation-records.ts';

const [, , url = '', dir = '', count = '0', kind = ''] = process.argv;
const AT_ONCE = 16;
const turns = kind === 'turns' ? toTurns(AT_ONCE) : undefined;

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

const logger = { info: () => undefined, warn: console.error, error: console.error };
const store = await createPostgresStore({ url, logger, journal: await openRecordJournal({ dir, logger }) });
let left = Number(count);

async function work(): Promise<void> {
  while (left > 0) {
    left -= 1;
    const id = `gen-${Math.floor(Date.now() / 1000)}-${randomBytes(12).toString('hex')}`;
    const costNanoUsd = 1 + (left % 97) * 1_000_003;
    const principalId = `key-${left % 7}`;
    const generation = { created_at: new Date().toISOString(), is_byok: left % 5 === 0 };
    const content = turns?.[left % turns.length] ?? toContent(id);
    await store.generations.append(toRecord(id, { costNanoUsd, principalId, generation }), content);
    print(`${id} ${costNanoUsd}`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
await store.close();
