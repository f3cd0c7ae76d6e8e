import { hash } from 'node:crypto';

import type { GenerationRecord, StoredContent } from '@model-gateway/core';
import { openRecordJournal } from '@model-gateway/node';
import { migrateDatabase } from '@model-gateway/postgres';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { toContent, toTurns } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeFolder, makeRecord, type OpenedStore, openStore, readWritten } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { tell } from './support/tell.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Appends contents, one after the other, and waits until they are in the database. Resolves with their ids. */
async function appendAll(
  { generations }: OpenedStore,
  contents: readonly StoredContent[],
  toNext: () => GenerationRecord = () => makeRecord(),
): Promise<string[]> {
  const ids: string[] = [];
  for (const content of contents) {
    const record = toNext();
    await generations.append(record, content);
    ids.push(record.generation.id);
  }
  await generations.count();
  return ids;
}

/** As JSON: a member that has moved in its object is a difference. */
async function readAll({ generations }: OpenedStore, ids: readonly string[]): Promise<(string | undefined)[]> {
  const contents = await Promise.all(ids.map(async (id) => generations.getContent(id)));
  return contents.map((content) => content && JSON.stringify(content));
}
const toTexts = (contents: readonly StoredContent[]): string[] => contents.map((content) => JSON.stringify(content));

/** With texts that PostgreSQL cannot compress, in the place of those that repeat themselves: the same for the same. */
const withRandomTexts = (content: StoredContent): StoredContent =>
  JSON.parse(JSON.stringify(content), (_, value: unknown) =>
    typeof value === 'string' && value.length > 256
      ? value.slice(0, 8) + randomOf(value).slice(0, value.length)
      : value,
  ) as StoredContent;

function randomOf(text: string): string {
  let random = '';
  for (let part = 0; random.length < text.length; part += 1) random += hash('sha512', `${part} ${text}`, 'base64');
  return random;
}

async function countBlocks(url: string): Promise<number> {
  const [row] = await runStatement(url, 'select count(*)::int as n from gateway.content_blocks');
  return (row as { n: number }).n;
}

test.skipIf(missingPostgres)(
  'forty turns of a conversation take less than a tenth of what they take as wholes',
  async () => {
    const url = await openDatabase();
    const store = await openStore({ url, dir: await makeFolder() });
    const turns = toTurns(40).map(withRandomTexts);
    const ids = await appendAll(store, turns);
    expect(await readAll(store, ids)).toEqual(toTexts(turns));

    await runStatement(url, 'create table wholes (like gateway.contents including all)');
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    for (const [index, text] of toTexts(turns).entries()) {
      await client.query('insert into wholes (day, id, content) values (current_date, $1, $2)', [ids[index], text]);
    }
    const [row] = await runStatement(
      url,
      `select (select sum(length(content)) from wholes)::int as whole_chars, pg_total_relation_size('wholes')::int as whole_bytes,
       ((select sum(length(content)) from gateway.contents) +
         (select sum(length(block) + length(hash)) from gateway.content_blocks))::int as chars,
       (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent in
         ('gateway.contents'::regclass, 'gateway.content_blocks'::regclass)
         and inhrelid::regclass::text like '%' || to_char(now() at time zone 'utc', 'YYYYMMDD'))::int as bytes`,
    );
    const { whole_chars: wholeChars, whole_bytes: wholeBytes, chars, bytes } = row as Record<string, number>;
    tell(`40 turns: ${chars} of ${wholeChars} characters, ${bytes} of ${wholeBytes} bytes in tables and indexes`);
    expect(Number(chars) / Number(wholeChars)).toBeLessThan(0.1);
    expect(Number(bytes) / Number(wholeBytes)).toBeLessThan(0.1);
  },
);

test.skipIf(missingPostgres)('one that is deleted takes nothing from the others, and the last takes all', async () => {
  const url = await openDatabase();
  const store = await openStore({ url, dir: await makeFolder() });
  const turns = toTurns(20);
  const ids = await appendAll(store, turns);
  const sweep = (): void | Promise<void> => store.retention?.changes?.apply();
  const before = await countBlocks(url);
  await sweep();
  expect(await countBlocks(url)).toBe(before);

  const [last = '', ...others] = ids.toReversed();
  expect(await store.generations.deleteContent(last)).toBe(true);
  expect(await store.generations.getContent(last)).toBeUndefined();
  await sweep();
  expect(await countBlocks(url)).toBeLessThan(before);
  expect(await readAll(store, others)).toEqual(toTexts(turns.slice(0, -1).toReversed()));
  expect(await runStatement(url, `select from gateway.content_blocks where block like '%(19 asked)%'`)).toEqual([]);

  for (const id of others) expect(await store.generations.deleteContent(id)).toBe(true);
  await sweep();
  expect(await countBlocks(url)).toBe(0);
  expect(await runStatement(url, 'select from gateway.unswept_days')).toEqual([]);
  expect(store.said).toEqual([]);
});

test.skipIf(missingPostgres)('two processes that write one conversation at once share its blocks', async () => {
  const url = await openDatabase();
  const stores = [await openStore({ url, dir: await makeFolder() }), await openStore({ url, dir: await makeFolder() })];
  const turns = toTurns(60);
  const ids = await Promise.all(
    stores.map((store, index) => appendAll(store, index === 0 ? turns : turns.toReversed())),
  );
  for (const [index, store] of stores.entries()) {
    expect(await readAll(store, ids[1 - index] ?? [])).toEqual(toTexts(index === 1 ? turns : turns.toReversed()));
    expect(store.said).toEqual([]);
  }
  const shared = await countBlocks(url);
  const alone = await openDatabase();
  await appendAll(await openStore({ url: alone }), turns);
  expect(shared).toBe(await countBlocks(alone));
});

test.skipIf(missingPostgres)(
  'two processes that write the same texts in other orders never wait in a circle',
  async () => {
    const url = await openDatabase();
    const stores = [
      await openStore({ url, dir: await makeFolder() }),
      await openStore({ url, dir: await makeFolder() }),
    ];
    for (let round = 0; round < 4; round += 1) {
      const contents = Array.from({ length: 400 }, (_, index) =>
        toContent(`${round} ${index} ${'long '.repeat(1000)}`),
      );
      await Promise.all(
        stores.map(async (store, index) => {
          const ordered = index === 0 ? contents : contents.toReversed();
          await Promise.all(ordered.map(async (content) => store.generations.append(makeRecord(), content)));
          await store.generations.count();
        }),
      );
    }
    expect(stores.flatMap(({ said }) => said)).toEqual([]);
    // A question and an answer each.
    expect(await countBlocks(url)).toBe(4 * 400 * 2);
  },
);

test.skipIf(missingPostgres)('a sweep waits for batches that rely on a block which nothing else needs', async () => {
  const url = await openDatabase();
  const store = await openStore({ url, dir: await makeFolder() });
  const [turn] = toTurns(12).slice(-1) as [StoredContent];
  const [former = ''] = await appendAll(store, [turn]);
  const before = await countBlocks(url);
  await store.generations.deleteContent(former);
  // A batch locks the spending of the account last: it waits with all that it has written.
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`begin; select from gateway.spending where kind = 'account' for update`);
  const record = makeRecord();
  await store.generations.append(record, turn);
  const countWaiting = (event: string) =>
    runStatement(
      url,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = '${event}'`,
    );
  await expect.poll(() => countWaiting('transactionid')).toHaveLength(1);
  // The sweep at the start may have been after the deletion.
  await runStatement(url, `insert into gateway.unswept_days values ((now() at time zone 'utc')::date)`);
  const swept = store.retention?.changes?.apply();
  await expect.poll(() => countWaiting('advisory')).not.toEqual([]);
  await client.query('commit');
  await swept;
  await store.generations.count();
  expect(await readAll(store, [record.generation.id])).toEqual(toTexts([turn]));
  expect(await countBlocks(url)).toBe(before);
});

test.skipIf(missingPostgres)('while contents come and go, sweeps take no block that one of them needs', async () => {
  const url = await openDatabase();
  const [one, other] = [await openStore({ url, dir: await makeFolder() }), await openStore({ url })];
  const turns = toTurns(8);
  const kept: string[] = [];
  for (let round = 0; round < 25; round += 1) {
    const [ids] = await Promise.all([
      appendAll(one, turns),
      other.retention?.changes?.apply(),
      ...kept.splice(0).map((id) => other.generations.deleteContent(id)),
    ]);
    expect(await readAll(other, ids)).toEqual(toTexts(turns));
    kept.push(...ids);
  }
  for (const id of kept) await one.generations.deleteContent(id);
  await one.retention?.changes?.apply();
  expect(await countBlocks(url)).toBe(0);
  expect([...one.said, ...other.said]).toEqual([]);
});

test.skipIf(missingPostgres)('workspaces share no block, and days share none', async () => {
  const url = await openDatabase();
  const store = await openStore({ url });
  const turns = toTurns(6);
  const add = async (workspace: string, daysAgo: number): Promise<void> => {
    const toNext = () => makeRecord(Date.now() - daysAgo * DAY_MS, { generation: { workspace_id: workspace } });
    expect(await readAll(store, await appendAll(store, turns, toNext))).toEqual(toTexts(turns));
  };
  await add('a', 0);
  const one = await countBlocks(url);
  await add('a', 0);
  expect(await countBlocks(url)).toBe(one);
  await add('b', 0);
  expect(await countBlocks(url)).toBe(2 * one);
  await add('a', 3);
  expect(await countBlocks(url)).toBe(3 * one);
});

test.skipIf(missingPostgres)('retention drops the blocks of the contents that it drops', async () => {
  const url = await openDatabase();
  const store = await openStore({ url, retentionDays: 100 });
  const turns = toTurns(6);
  const ids: string[] = [];
  for (const days of [0, 5, 20]) {
    ids.push(...(await appendAll(store, turns.slice(-1), () => makeRecord(Date.now() - days * DAY_MS))));
  }
  const all = await countBlocks(url);
  const { changes } = store.retention ?? {};
  const losses = await changes?.preview({ days: 10, contentDays: 2 });
  expect(losses).toMatchObject({ generations: 1, contents: 2 });
  const [chars] = await runStatement(url, 'select sum(length(block))::int as n from gateway.content_blocks');
  expect(losses?.contentBytes).toBeGreaterThan(((chars as { n: number }).n * 2) / 3);
  await store.settings.update((settings) => ({ ...settings, retention: { days: 10, content_days: 2 } }));
  await changes?.apply();
  expect(await countBlocks(url)).toBe(all / 3);
  expect(await readAll(store, ids)).toEqual([...toTexts(turns.slice(-1)), undefined, undefined]);
  const parts = await runStatement(
    url,
    `select from pg_inherits where inhparent = 'gateway.content_blocks'::regclass and inhrelid::regclass::text like
       '%' || to_char((now() at time zone 'utc')::date - 20, 'YYYYMMDD')`,
  );
  expect(parts).toEqual([]);
});

test.skipIf(missingPostgres)('a batch that comes again leaves no block of a content that was deleted', async () => {
  const url = await openDatabase();
  const record = makeRecord();
  const [turn] = toTurns(8).slice(-1) as [StoredContent];
  const first = await openStore({ url });
  await appendAll(first, [turn], () => record);
  await first.generations.deleteContent(record.generation.id);
  await first.retention?.changes?.apply();
  expect(await countBlocks(url)).toBe(0);

  const dir = await makeFolder();
  const journal = await openRecordJournal({ dir });
  await journal.append({
    id: record.generation.id,
    record: JSON.stringify(record),
    content: JSON.stringify(turn),
  });
  await journal.close();
  const second = await openStore({ url, dir });
  expect(await second.generations.count()).toBe(1);
  expect(await second.generations.getContent(record.generation.id)).toBeUndefined();
  await second.retention?.changes?.apply();
  expect(await countBlocks(url)).toBe(0);
});

test.skipIf(missingPostgres)('what versions without blocks have stored and journaled is read as it was', async () => {
  const url = await openDatabase();
  await migrateDatabase({ url });
  const [stored, journaled] = [makeRecord(Date.now() - 5 * DAY_MS), makeRecord(Date.now() - 5 * DAY_MS)];
  const content = { ...toContent('x'), input: { messages: [{ role: 'user', content: 'Why? '.repeat(2000) }] } };
  const first = await openStore({ url });
  await first.generations.append(stored, null);
  await first.close();
  // As the schema was before.
  await runStatement(url, 'drop table gateway.content_blocks');
  await runStatement(url, 'drop table gateway.unswept_days');
  await runStatement(url, 'alter table gateway.contents drop column packed');
  await runStatement(url, `delete from gateway.migrations where name = '0002-content-blocks'`);
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const values = [stored.generation.id, JSON.stringify(content)];
  await client.query(
    'insert into gateway.contents (day, id, content) select day, id, $2 from gateway.generations where id = $1',
    values,
  );
  const dir = await makeFolder();
  const journal = await openRecordJournal({ dir });
  const { id } = journaled.generation;
  await journal.append({ id, record: JSON.stringify(journaled), content: JSON.stringify(content) });
  await journal.close();

  const store = await openStore({ url, dir });
  expect(await store.generations.count()).toBe(2);
  expect(await readAll(store, [stored.generation.id, id])).toEqual(toTexts([content, content]));
  expect(await runStatement(url, 'select packed from gateway.contents order by packed')).toEqual([
    { packed: false },
    { packed: true },
  ]);
  expect(await readWritten(url)).toMatchObject({ generations: 2, contents: 2 });
  expect(store.said).toEqual([]);
});
