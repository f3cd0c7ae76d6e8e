import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { openRecordJournal } from '@model-gateway/node';
import { expect, test } from 'vitest';

import { toContent, toTurns } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { findMissing, makeFolder, makeRecord, openStore, readWritten } from './support/generation-stores.ts';
import { runStatement } from './support/postgres-server.ts';

const SCRIPT = fileURLToPath(new URL('support/append-records.ts', import.meta.url));

/** Runs a process that appends; kills it once it has acknowledged so many. Resolves with the costs by id. */
async function append(
  url: string,
  dir: string,
  count: number,
  killAfter = count + 1,
  kind: 'turns' | '' = '',
): Promise<Map<string, number>> {
  const args = [SCRIPT, url, dir, String(count), kind];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged = new Map<string, number>();
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = '', cost] = line.split(' ');
    acknowledged.set(id, Number(cost));
    if (acknowledged.size === killAfter) child.kill('SIGKILL');
  }
  await ended;
  return acknowledged;
}

test.skipIf(missingPostgres)(
  'of 10,000 generations from four processes, one of which is killed again and again, each acknowledged one is there once',
  async () => {
    const url = await openDatabase();
    const dir = await makeFolder();
    const work = async (place: string, kills: readonly number[]): Promise<Map<string, number>[]> => {
      const parts: Map<string, number>[] = [];
      let left = 2500;
      for (const killAfter of kills) {
        const part = await append(url, join(dir, place), left, killAfter);
        parts.push(part);
        left -= part.size;
      }
      parts.push(await append(url, join(dir, place), left));
      return parts;
    };
    const parts = await Promise.all([work('a', [17, 333, 800]), work('b', []), work('c', []), work('d', [])]);
    const acknowledged = new Map(parts.flat().flatMap((part) => [...part]));
    expect(acknowledged.size).toBeGreaterThanOrEqual(10_000);
    // A process that ends does not wait long for the database: what it leaves is taken in by the next start.
    for (const place of ['a', 'b', 'c', 'd']) await (await openStore({ url, dir: join(dir, place) })).close();
    expect(await findMissing(url, acknowledged.keys())).toHaveLength(0);
    const { generations, distinct, contents, costNano, spentNano, keysNano } = await readWritten(url);
    expect([distinct, contents]).toEqual([generations, generations]);
    // What was under way when its process was killed may be there without having been acknowledged.
    expect(generations).toBeLessThan(acknowledged.size + 4 * 16);
    expect([spentNano, keysNano]).toEqual([costNano, costNano]);
  },
);

test.skipIf(missingPostgres)(
  'a journal that is taken in again, by the same process or another, doubles nothing',
  async () => {
    const url = await openDatabase();
    const dir = await makeFolder();
    const journal = await openRecordJournal({ dir: join(dir, 'a') });
    const records = Array.from({ length: 1200 }, (_, index) => makeRecord(Date.now(), { costNanoUsd: index }));
    await Promise.all(
      records.map((record) =>
        journal.append({
          id: record.generation.id,
          record: JSON.stringify(record),
          content: JSON.stringify(toContent('x')),
        }),
      ),
    );
    await journal.close();
    for (const name of ['b', 'c']) await cp(join(dir, 'a'), join(dir, name), { recursive: true });

    // Two at the same time, and a third that finds all of it there.
    const [one, other] = await Promise.all(['a', 'b'].map((name) => openStore({ url, dir: join(dir, name) })));
    expect(await one?.generations.count()).toBe(1200);
    await other?.generations.count();
    const third = await openStore({ url, dir: join(dir, 'c') });
    expect(await third.generations.get(records[7]?.generation.id ?? '')).toEqual(records[7]);
    for (const store of [one, other, third]) await store?.close();
    const sum = (1199 * 1200) / 2;
    expect(await readWritten(url)).toEqual({
      generations: 1200,
      distinct: 1200,
      contents: 1200,
      costNano: sum,
      spentNano: sum,
      keysNano: sum,
    });
    expect((await openRecordJournal({ dir: join(dir, 'c') })).recovered).toEqual([]);
  },
);

test.skipIf(missingPostgres)(
  'of conversations that two processes record, one of which is killed again and again, no content lacks a part',
  async () => {
    const url = await openDatabase();
    const dir = await makeFolder();
    const turns = new Set(toTurns(16).map((turn) => JSON.stringify(turn)));
    const killed = (async () => {
      const ids: string[] = [];
      for (const after of [5, 40, 90, 150])
        ids.push(...(await append(url, join(dir, 'a'), 400, after, 'turns')).keys());
      return ids;
    })();
    const parts = await Promise.all([killed, append(url, join(dir, 'b'), 600, undefined, 'turns')]);
    const acknowledged = [...parts[0], ...parts[1].keys()];
    const store = await openStore({ url, dir: join(dir, 'a') });
    await store.generations.count();
    await (await openStore({ url, dir: join(dir, 'b') })).close();
    for (const id of acknowledged) expect(turns).toContain(JSON.stringify(await store.generations.getContent(id)));
    expect(acknowledged.length).toBeGreaterThanOrEqual(885);
    // The first turns are short.
    const [row] = await runStatement(url, 'select count(*)::int as packed from gateway.contents where packed');
    expect((row as { packed: number }).packed).toBeGreaterThan(acknowledged.length / 2);
    expect(store.said).toEqual([]);
  },
);

test.skipIf(missingPostgres)('changes that a dead process had acknowledged are made by the next', async () => {
  const url = await openDatabase();
  const dir = await makeFolder();
  const journal = await openRecordJournal({ dir });
  const [changed, emptied] = [makeRecord(), makeRecord()];
  for (const record of [changed, emptied]) {
    const { id } = record.generation;
    await journal.append({ id, record: JSON.stringify(record), content: JSON.stringify(toContent('secret')) });
  }
  const later = { ...changed, costNanoUsd: 77 };
  await journal.change({ id: changed.generation.id, record: later });
  await journal.change({ id: emptied.generation.id, isContentDeleted: true });
  await journal.close();
  const store = await openStore({ url, dir });
  expect(await store.generations.get(changed.generation.id)).toEqual(later);
  expect(await store.generations.getContent(changed.generation.id)).toEqual(toContent('secret'));
  expect(await store.generations.getContent(emptied.generation.id)).toBeUndefined();
  expect(await store.generations.spentNanoUsd('key-1')).toBe(1077);
});
