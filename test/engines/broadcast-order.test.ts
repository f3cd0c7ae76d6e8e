import type { GenerationRecord, Store } from '@model-gateway/core';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { missingPostgres } from './support/engines.ts';
import { makeRecord } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';
import { openStore, openTwoStores } from './support/postgres-stores.ts';

const idsOf = (records: readonly GenerationRecord[]): string[] => records.map(({ generation }) => generation.id);

async function follow({ generations }: Store, place: string | null, limit = 1000) {
  const found = await generations.follow?.(place, limit);
  if (found === undefined) throw new Error('The store cannot be followed');
  return { ids: idsOf(found.records), place: found.place };
}

async function append({ generations }: Store, count: number): Promise<string[]> {
  const records = Array.from({ length: count }, () => makeRecord());
  await Promise.all(records.map((record) => generations.append(record, null)));
  return idsOf(records);
}

/**
 * Follows in small pages until there is nothing more, and all that is expected has come: what is recorded may come
 * later while a transaction is under way, also one of another test at the same server.
 */
async function followAll(
  store: Store,
  place: string,
  expected: readonly string[] = [],
): Promise<{ ids: string[]; place: string }> {
  const ids: string[] = [];
  let at = place;
  for (;;) {
    const page = await follow(store, at, 7);
    ids.push(...page.ids);
    at = page.place;
    if (page.ids.length === 0 && expected.every((id) => ids.includes(id))) return { ids, place: at };
  }
}

test.skipIf(missingPostgres)(
  'what is recorded after a place comes once, whichever process records it, in pages of any length',
  async () => {
    const { one, other } = await openTwoStores();
    const earlier = await append(one, 5);
    const { ids: before, place } = await follow(other, null);
    expect(before).toEqual([]);
    const recorded = (await Promise.all([append(one, 40), append(other, 40), append(one, 40)])).flat();
    // Each process sees at once what it has recorded itself; the others' is there by now as well.
    await one.generations.count();
    const first = await followAll(other, place, recorded);
    expect(first.ids.filter((id) => !earlier.includes(id)).toSorted()).toEqual(recorded.toSorted());
    const more = await append(one, 3);
    await one.generations.count();
    expect((await followAll(other, first.place, more)).ids.toSorted()).toEqual(more.toSorted());
  },
);

test.skipIf(missingPostgres)(
  'a record whose transaction ends late is not passed over, whatever is recorded meanwhile',
  async () => {
    const { url, one, other } = await openTwoStores();
    const { place: start } = await follow(one, null);
    const earlier = await append(one, 1);
    const { place } = await followAll(one, start, earlier);
    const late = new Client({ connectionString: url });
    await late.connect();
    onTestFinished(() => late.end());
    await late.query('begin');
    const columns = await runStatement(
      url,
      `select string_agg(column_name, ', ') as names from information_schema.columns
     where table_schema = 'gateway' and table_name = 'generations' and column_name not in ('id', 'written_in')`,
    );
    const { names } = columns[0] as { readonly names: string };
    await late.query(
      `insert into gateway.generations (id, ${names}) select 'late', ${names} from gateway.generations limit 1`,
    );
    const meanwhile = await append(other, 10);
    await other.generations.count();
    const seen = await followAll(one, place);
    expect(seen.ids).toEqual([]);
    await late.query('commit');
    // The late row is a copy of the earlier record.
    const after = await followAll(one, seen.place, [...earlier, ...meanwhile]);
    expect(after.ids.toSorted()).toEqual([...earlier, ...meanwhile].toSorted());
  },
);

test.skipIf(missingPostgres)(
  'an update does not bring a record again, and a place of another server begins at the end',
  async () => {
    const { one } = await openTwoStores();
    const record = makeRecord();
    const { place } = await follow(one, null);
    await one.generations.append(record, null);
    const first = await followAll(one, place, [record.generation.id]);
    await one.generations.update({ ...record, costNanoUsd: 5 });
    expect([first.ids, (await followAll(one, first.place)).ids]).toEqual([[record.generation.id], []]);
    const foreign = await follow(one, '9000000000000000000-x');
    expect([foreign.ids, (await followAll(one, foreign.place)).ids]).toEqual([[], []]);
  },
);

test.skipIf(missingPostgres)('records of days that are long over come when they are recorded', async () => {
  const { url } = await openTwoStores();
  const store = await openStore(url);
  const { place } = await follow(store, null);
  const DAY_MS = 24 * 60 * 60 * 1000;
  const old = [makeRecord(Date.now() - 3 * DAY_MS), makeRecord(Date.now() - 2 * DAY_MS)];
  for (const record of old) await store.generations.append(record, null);
  expect((await followAll(store, place, idsOf(old))).ids).toEqual(idsOf(old));
});

test.skipIf(missingPostgres)(
  'nothing is passed over where the number of a transaction gets another digit',
  async () => {
    const { url, one } = await openTwoStores();
    const ids = await append(one, 4);
    await one.generations.count();
    const numbers = [8, 9, 10, 11];
    for (const [index, id] of ids.entries()) {
      await runStatement(url, `update gateway.generations set written_in = '${numbers[index]}' where id = '${id}'`);
    }
    const { place } = await follow(one, null);
    const first = await follow(one, place.replace(/:.*/s, ':7-'), 2);
    expect([first.ids, (await follow(one, first.place, 2)).ids]).toEqual([ids.slice(0, 2), ids.slice(2)]);
  },
);
