import { describe, expect, onTestFinished, test } from 'vitest';

import { createDatabaseConnection } from '../../packages/postgres/src/connection/connection.ts';
import { pageOfGenerations } from '../../packages/postgres/src/generations/pages.ts';
import { createSnapshot, type ReadParts, SlowQueryError } from '../../packages/postgres/src/generations/reader.ts';
import { toRecord } from '../support/stores/generation-records.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { openStore, PATIENT } from './support/postgres-stores.ts';

const START_MS = Date.UTC(2026, 2, 27);
const HOUR_MS = 60 * 60 * 1000;
const RECORDS = 60;
const SEEDS = 60;
/** What a database does in time however busy it is: what an index finds at once. */
const NEVER_SLOW_MS = 5000;

/** Fills a database with calls of five days, two in each moment and some hours without any. */
async function openFilled(): Promise<ReadParts> {
  const url = await openDatabase();
  const store = await openStore(url, PATIENT);
  for (let index = 0; index < RECORDS; index += 1) {
    const createdMs = START_MS + Math.floor(index / 2) ** 2 * (HOUR_MS / 8);
    const created = { created_at: new Date(createdMs).toISOString(), model: index % 3 === 0 ? 'a/few' : 'a/most' };
    await store.generations.append(toRecord(`gen-${String(index).padStart(3, '0')}`, { generation: created }), null);
  }
  const connection = createDatabaseConnection({ url, notifications: 'poll', ...PATIENT });
  onTestFinished(() => connection.close());
  const monotonicNow = (): number => 0;
  return { monotonicNow, now: Date.now, snapshot: createSnapshot({ useClient: connection.useReader }, monotonicNow) };
}

/** Parts for which a statement that may be stopped is stopped where `isSlow` says so. */
const slowedBy = (parts: ReadParts, isSlow: () => boolean): ReadParts => ({
  ...parts,
  snapshot: async (limitMs, work) => {
    if (limitMs < NEVER_SLOW_MS && isSlow()) throw new SlowQueryError();
    return parts.snapshot(limitMs, work);
  },
});

/** All pages of a list, each with its ids. Fails where a page leads to itself. */
async function readAll(parts: ReadParts, models: ReadonlySet<string> | undefined, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let before: string | undefined;
  do {
    const { records, next } = await pageOfGenerations({ limit, before, filter: { models } }, parts);
    expect(next).not.toBe(before);
    pages.push(records.map(({ generation }) => generation.id));
    before = next ?? undefined;
  } while (before !== undefined);
  return pages;
}

describe.skipIf(missingPostgres)('A list of generations at a database that is too slow', () => {
  test('leads through all that match, each once, wherever a statement is stopped', async () => {
    const parts = await openFilled();
    const few = new Set(['a/few']);
    const expected = (await readAll(parts, few, 100)).flat();
    expect(expected).toHaveLength(RECORDS / 3);
    let state = 1;
    const draw = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const slowness = draw();
      const pages = await readAll(
        slowedBy(parts, () => draw() < slowness),
        few,
        1 + (seed % 4),
      );
      expect(pages.flat(), `seed ${seed}`).toEqual(expected);
    }
  });

  test('gets further with each page, where nothing but an index is fast enough', async () => {
    const parts = slowedBy(await openFilled(), () => true);
    const pages = await readAll(parts, new Set(['a/few']), 10);
    expect(pages.flat()).toHaveLength(RECORDS / 3);
    // The last one says that nothing is left.
    expect(pages).toHaveLength(RECORDS + 1);
  });

  test('is whole at once where all match', async () => {
    const parts = slowedBy(await openFilled(), () => true);
    expect((await readAll(parts, undefined, 100)).map((page) => page.length)).toEqual([RECORDS]);
  });

  test('asks to try again where records themselves have to be read, and there is no time for that', async () => {
    const parts = slowedBy(await openFilled(), () => true);
    const filter = { conditions: [{ field: 'cost', sign: ':', values: [0.001], isNegated: false }] } as const;
    await expect(pageOfGenerations({ limit: 10, filter }, parts)).rejects.toMatchObject({
      status: 503,
      retryAfterSeconds: 1,
    });
  });
});
