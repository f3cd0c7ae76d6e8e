import type { GenerationFilter, GenerationRecord, HistogramBucket, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toRecord } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const msAt = (minute: number): number => Date.UTC(2026, 2, 1, 10, minute);

/** One a minute, oldest first. */
const RECORDS: readonly GenerationRecord[] = [
  toRecord('gen-0', {
    costNanoUsd: 0,
    generation: { created_at: at(0), session_id: 's1', origin: 'https://app.example' },
  }),
  toRecord('gen-1', { costNanoUsd: 500, userId: 'u1', generation: { created_at: at(1), model: 'acme/other' } }),
  toRecord('gen-2', {
    costNanoUsd: 900,
    generation: { created_at: at(2), finish_reason: 'error', user_agent: 'curl/8.1' },
  }),
  toRecord('gen-3', { principalId: 'key-2', generation: { created_at: at(3), provider_name: 'Beta' } }),
  toRecord('gen-4', { generation: { created_at: at(4), cancelled: true, finish_reason: null } }),
  toRecord('gen-5', { costNanoUsd: 2_000, generation: { created_at: at(5), provider_name: null, session_id: 's2' } }),
];

describe.each(storeImplementations)('Generations of a $name store', ({ createPlace, isDurable }) => {
  let place: StorePlace;
  let store: Store;

  beforeEach(async () => {
    place = await createPlace();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });
  const fill = async (): Promise<void> => {
    for (const record of RECORDS) await store.generations.append(record, null);
  };
  /** Ids without `gen-`, page after page. */
  const find = async (filter: GenerationFilter, limit = 10): Promise<string[][]> => {
    const pages: string[][] = [];
    let before: string | undefined;
    do {
      const page = await store.generations.page({ limit, before, filter });
      pages.push(page.records.map(({ generation }) => generation.id.replace('gen-', '')));
      before = page.next ?? undefined;
    } while (before !== undefined);
    return pages;
  };

  test.each<[GenerationFilter, string]>([
    [{}, '5 4 3 2 1 0'],
    [{ createdFromMs: msAt(2) }, '5 4 3 2'],
    [{ createdBeforeMs: msAt(2) }, '1 0'],
    [{ createdFromMs: msAt(1), createdBeforeMs: msAt(4) }, '3 2 1'],
    [{ createdFromMs: Date.UTC(2026, 2, 2) }, ''],
    [{ createdBeforeMs: Date.UTC(2026, 1, 2) }, ''],
    [{ models: new Set(['acme/other']) }, '1'],
    [{ models: new Set(['acme/other', 'acme/chat-1']) }, '5 4 3 2 1 0'],
    [{ models: new Set() }, ''],
    [{ providerNames: new Set(['Beta']) }, '3'],
    [{ principalIds: new Set(['key-2', 'nobody']) }, '3'],
    [{ providerNames: new Set(['']) }, '5'],
    [{ userIds: new Set(['u1']) }, '1'],
    [{ userIds: new Set(['']) }, '5 4 3 2 0'],
    [{ apps: new Set(['https://app.example', 'curl']) }, '2 0'],
    [{ apps: new Set(['']) }, '5 4 3 1'],
    [{ sessionId: 's1' }, '0'],
    [{ sessionId: '' }, '4 3 2 1'],
    [{ statuses: new Set(['failed']) }, '2'],
    [{ statuses: new Set(['cancelled', 'failed']) }, '4 2'],
    [{ statuses: new Set(['ok']) }, '5 3 1 0'],
    [{ minCostNanoUsd: 900 }, '5 4 3 2'],
    [{ maxCostNanoUsd: 0 }, '0'],
    [{ minCostNanoUsd: 500, maxCostNanoUsd: 999 }, '2 1'],
    [{ statuses: new Set(['ok']), providerNames: new Set(['Acme']), minCostNanoUsd: 1 }, '1'],
    [{ conditions: [{ field: 'status', sign: ':', values: ['ok'], isNegated: true }] }, '4 2'],
    [{ conditions: [{ field: 'model', sign: ':', values: ['acme/*er'], isNegated: false }] }, '1'],
    [
      { statuses: new Set(['ok']), conditions: [{ field: 'session', sign: ':', values: ['s*'], isNegated: false }] },
      '5 0',
    ],
  ])('are chosen by %j', async (filter, expected) => {
    await fill();
    const [page = [], ...more] = await find(filter);
    expect(page.join(' ')).toBe(expected);
    expect(more.flat()).toEqual([]);
  });

  test('come page by page when they are chosen, each once and none left out', async () => {
    await fill();
    expect((await find({ statuses: new Set(['ok']) }, 2)).flat()).toEqual(['5', '3', '1', '0']);
    expect((await find({}, 4)).map((page) => page.length)).toEqual([4, 2]);
  });

  test('are chosen by their last version', async () => {
    await fill();
    expect((await find({ statuses: new Set(['failed']) })).flat()).toEqual(['2']);
    const [first] = RECORDS;
    if (first === undefined) throw new Error('There is no record');
    await store.generations.update({ ...first, generation: { ...first.generation, finish_reason: 'error' } });
    expect((await find({ statuses: new Set(['failed']) })).flat()).toEqual(['2', '0']);
  });

  test('are all found, however many do not match in between', async () => {
    const ids = Array.from({ length: 5000 }, (_, index) => index);
    await Promise.all(
      ids.map((id) =>
        store.generations.append(
          toRecord(`gen-${id}`, {
            principalId: id % 2400 === 0 ? 'rare' : 'often',
            generation: { created_at: at(id % 60) },
          }),
          null,
        ),
      ),
    );
    const pages = await find({ principalIds: new Set(['rare']) }, 2);
    expect(pages.flat()).toEqual(['4800', '2400', '0']);
    // No page looks at all of them.
    expect(pages.length).toBeGreaterThan(2);
    expect(await store.generations.count()).toBe(5000);
  });

  test('are counted by time, with their failures and their cost', async () => {
    await fill();
    const query = { startMs: msAt(1), bucketMs: 2 * 60_000, buckets: 3 };
    const toRow = ({ startMs, requests, failed, cancelled, costNanoUsd }: HistogramBucket) => [
      (startMs - msAt(0)) / 60_000,
      requests,
      failed,
      cancelled,
      costNanoUsd,
    ];
    expect((await store.generations.histogram({ ...query, filter: {} })).buckets.map(toRow)).toEqual([
      [1, 2, 1, 0, 1_400],
      [3, 2, 0, 1, 2_000],
      [5, 1, 0, 0, 2_000],
    ]);
    const ofBeta = await store.generations.histogram({ ...query, filter: { providerNames: new Set(['Beta']) } });
    expect(ofBeta.buckets.map(({ requests }) => requests)).toEqual([0, 1, 0]);
  });

  test('are counted by time and by what they have in common, with first tokens and speeds', async () => {
    await fill();
    const timed = { streamed: true, latency: 200, tokens_completion: 90, generation_time: 3200 };
    await store.generations.append(
      toRecord('gen-6', { userId: 'u1', generation: { ...timed, created_at: at(5), origin: 'https://app.example' } }),
      null,
    );
    const query = { startMs: msAt(0), bucketMs: 3 * 60_000, buckets: 2, filter: {} };
    const { total, parts, rest } = await store.generations.histogram({
      ...query,
      split: { by: 'provider', rank: 'requests', limit: 2 },
    });
    expect(total).toEqual({
      requests: 7,
      failed: 1,
      cancelled: 1,
      interrupted: 0,
      costNanoUsd: 6_400,
      firstTokenP50Ms: 200,
      firstTokenP95Ms: 200,
      tokensPerSecondP50: 30,
    });
    expect(parts.map(({ value, buckets }) => [value, buckets.map(({ requests }) => requests)])).toEqual([
      ['Acme', [3, 2]],
      [null, [0, 1]],
    ]);
    expect([rest?.values, rest?.total.requests, rest?.buckets.map(({ requests }) => requests)]).toEqual([1, 1, [0, 1]]);
    const { parts: ofApps } = await store.generations.histogram({
      ...query,
      filter: { userIds: new Set(['u1']) },
      split: { by: 'app', rank: 'cost', limit: 2 },
    });
    expect(ofApps.map(({ value, total: { requests } }) => [value, requests])).toEqual([
      ['https://app.example', 1],
      [null, 1],
    ]);
  });

  test('are counted by what they have in common, each kind under the filters of the others', async () => {
    await fill();
    const { total, statuses, models, providerNames, principalIds } = await store.generations.facets({
      createdFromMs: msAt(1),
      statuses: new Set(['ok']),
    });
    expect(total).toBe(3);
    expect(Object.fromEntries(statuses)).toEqual({ cancelled: 1, failed: 1, ok: 3 });
    expect(Object.fromEntries(models)).toEqual({ 'acme/chat-1': 2, 'acme/other': 1 });
    // One generation has no provider.
    expect(Object.fromEntries(providerNames)).toEqual({ Acme: 1, Beta: 1 });
    expect(principalIds.get('key-2')).toBe(1);
  });

  test.runIf(isDurable)('are chosen and counted when the store was opened again', async () => {
    await fill();
    await store.close();
    store = await place.open();
    expect((await find({ statuses: new Set(['failed', 'cancelled']) })).flat()).toEqual(['4', '2']);
    const query = { startMs: msAt(0), bucketMs: 60_000, buckets: 6, filter: {} };
    expect((await store.generations.histogram(query)).buckets.map(({ requests }) => requests)).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
  });
});
