import { execFileSync } from 'node:child_process';

import type { Store } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { toContent } from '../support/stores/generation-records.ts';
import { missingPostgres } from './support/engines.ts';
import { findProgram } from './support/find-program.ts';
import { findMissing, makeFolder, makeRecord, openStore, readWritten } from './support/generation-stores.ts';
import { startOwnPostgres, startOwnStandby } from './support/own-servers.ts';
import { runStatement } from './support/postgres-server.ts';
import { openFaultProxy } from './support/proxied-database.ts';

async function append({ generations }: Store, count: number): Promise<string[]> {
  const records = Array.from({ length: count }, () => makeRecord());
  await Promise.all(records.map((record) => generations.append(record, toContent(record.generation.id))));
  await generations.count();
  return records.map(({ generation }) => generation.id);
}

/** Reads on from a place until all that is expected has come, and once more. */
async function followAll({ generations }: Store, from: string | null, expected: readonly string[]) {
  const ids: string[] = [];
  let place = from;
  await expect
    .poll(async () => {
      const found = await generations.follow?.(place, 7);
      place = found?.place ?? null;
      ids.push(...(found?.records ?? []).map(({ generation }) => generation.id));
      return { isAtEnd: found?.records.length === 0, missing: expected.filter((id) => !ids.includes(id)) };
    }, WAIT)
    .toEqual({ isAtEnd: true, missing: [] });
  return { ids, place };
}

const WAIT = { interval: 50 };
const WITHOUT_ADDRESS = { retentionDays: 100_000 };

/** Raises the numbers of a server's transactions. */
const burn = (url: string, transactions: number) =>
  runStatement(
    url,
    `do $$ begin for i in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );

/** Copies a database to another server by the programs that operators use. */
function moveByDump(from: string, to: string): void {
  const dump = execFileSync(findProgram('pg_dump') ?? '', ['--dbname', from, '--format', 'custom']);
  execFileSync(findProgram('pg_restore') ?? '', ['--dbname', to, '--exit-on-error'], { input: dump });
}

describe.skipIf(missingPostgres)('A database at another server', () => {
  test.each([
    { other: 'lower', burnt: { before: 20_000, after: 0 } },
    { other: 'higher', burnt: { before: 0, after: 20_000 } },
  ])(
    'after pg_dump and pg_restore, what waited to be broadcast comes once, and then what is recorded there, where numbers of transactions are $other',
    async ({ burnt }) => {
      const [first, second] = [await startOwnPostgres(), await startOwnPostgres()];
      await burn(first.url, burnt.before);
      await burn(second.url, burnt.after);
      const before = await openStore({ ...WITHOUT_ADDRESS, url: first.url });
      const sent = await append(before, 5);
      const start = await before.generations.follow?.(null, 0);
      const { place } = await followAll(before, start?.place ?? null, await append(before, 3));
      const waiting = await append(before, 10);
      await before.close();
      moveByDump(first.url, second.url);

      const after = await openStore({ ...WITHOUT_ADDRESS, url: second.url });
      const more = await append(after, 10);
      const found = await followAll(after, place, [...waiting, ...more]);
      expect(found.ids.toSorted()).toEqual([...waiting, ...more].toSorted());
      // Where transactions get the numbers of those at the former server, nothing comes again.
      await burn(second.url, 25_000);
      const last = await append(after, 2);
      expect((await followAll(after, found.place, last)).ids.toSorted()).toEqual(last.toSorted());
      expect(found.ids).not.toContain(sent[0]);
    },
  );

  test('a standby that takes over without the last commits gets what was acknowledged from the journal, and broadcasts go on', async () => {
    const { server, url } = await startOwnPostgres({ wal_level: 'replica', max_wal_senders: '4' });
    const dir = await makeFolder();
    const proxy = await openFaultProxy(Number(new URL(url).port));
    const store = await openStore({ ...WITHOUT_ADDRESS, url: proxy.through(url), dir });
    const replicated = await append(store, 20);
    const start = await store.generations.follow?.(null, 0);
    const standby = await startOwnStandby(server);
    await standby.caughtUp();
    await standby.disconnect();

    const lost = await append(store, 30);
    const seen = await followAll(store, start?.place ?? null, lost);
    await server.kill();
    await standby.promote();
    const promoted = Object.assign(new URL(url), { port: String(standby.port) }).href;
    expect((await findMissing(promoted, lost)).length).toBe(lost.length);
    proxy.leadTo(standby.port);

    await expect.poll(() => append(store, 1).catch(() => []), WAIT).toHaveLength(1);
    const later = await append(store, 10);
    await expect.poll(() => findMissing(promoted, [...replicated, ...lost, ...later]), WAIT).toEqual([]);
    const written = await readWritten(promoted);
    expect(written).toMatchObject({ distinct: written.generations, contents: written.generations });
    expect([written.spentNano, written.keysNano]).toEqual([written.costNano, written.costNano]);
    // What the former server had shown comes again, as the present one wrote it; what is recorded there follows.
    await followAll(store, seen.place, [...lost, ...later]);
  });
});
