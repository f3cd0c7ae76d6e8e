import { createJsonFileStore } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { toTurns } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord, openStore } from './support/generation-stores.ts';
import { makeFolder, runWith } from './support/run-command.ts';

test.skipIf(missingPostgres)(
  'the requests of a conversation move into a database and out of it, byte for byte',
  async () => {
    const turns = toTurns(12).map((content) => ({ content, record: makeRecord() }));
    const [dir, back, url] = [makeFolder(), makeFolder(), await openDatabase()];
    const files = await createJsonFileStore({ dir });
    for (const { record, content } of turns) await files.generations.append(record, content);
    await files.close();

    const config = { store: { type: 'postgres', url } };
    expect(await runWith(config, ['import', '--from', dir])).toMatchObject({ code: 0 });
    expect(await runWith(config, ['export', '--to', back])).toMatchObject({ code: 0 });
    for (const store of [await openStore({ url }), await createJsonFileStore({ dir: back })]) {
      for (const { record, content } of turns) {
        const read = await store.generations.getContent(record.generation.id);
        expect(JSON.stringify(read)).toBe(JSON.stringify(content));
      }
      await store.close();
    }
  },
);
