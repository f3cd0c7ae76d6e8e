import { randomBytes } from 'node:crypto';

import { createJsonFileStore } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { makeFolder, runWith } from './support/run-command.ts';

const CONTENTS = 40;
const CONTENT_BYTES = 3_000_000;

test.skipIf(missingPostgres)('contents that are more than a store lets wait are all moved', async () => {
  const dir = makeFolder();
  const store = await createJsonFileStore({ dir });
  for (let call = 0; call < CONTENTS; call += 1) {
    await store.generations.append(makeRecord(), toContent(randomBytes(CONTENT_BYTES / 2).toString('hex')));
  }
  await store.close();
  const url = await openDatabase();
  const ended = await runWith({ store: { type: 'postgres', url } }, ['import', '--from', dir]);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(`${CONTENTS} generations`) as string });
  const [row] = await runStatement(
    url,
    `select count(*)::int as texts from gateway.content_blocks where length(block) > ${CONTENT_BYTES}`,
  );
  // Each has a long question and a long answer.
  expect(row).toEqual({ texts: 2 * CONTENTS });
});

test.skipIf(missingPostgres)('contents of which every character is long as JSON are all moved', async () => {
  const dir = makeFolder();
  const store = await createJsonFileStore({ dir });
  for (let call = 0; call < 100; call += 1) {
    await store.generations.append(makeRecord(), toContent('\u0001'.repeat(200_000)));
  }
  await store.close();
  const url = await openDatabase();
  const ended = await runWith({ store: { type: 'postgres', url } }, ['import', '--from', dir]);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('100 generations') as string });
  const [row] = await runStatement(url, 'select count(*)::int as contents from gateway.contents');
  expect(row).toEqual({ contents: 100 });
});
