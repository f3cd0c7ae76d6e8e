import type {
  GenerationFilter,
  HistogramBucket,
  SortedPlace,
  SortedQuery,
  GenerationRecord,
  Store,
} from '@model-gateway/core';

import { expectEqual } from '../contract-case.ts';
import { toRecord } from '../rows.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

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

const fill = async (store: Store): Promise<void> => {
  for (const record of RECORDS) await store.generations.append(record, null);
};
/** Ids without `gen-`, page after page. */
const find = async (store: Store, filter: GenerationFilter, limit = 10): Promise<string[][]> => {
  const pages: string[][] = [];
  let before: string | undefined;
  do {
    const page = await store.generations.page({ limit, before, filter });
    pages.push(page.records.map(({ generation }) => generation.id.replace('gen-', '')));
    before = page.next ?? undefined;
  } while (before !== undefined);
  return pages;
};

/** Filters, and the generations that they choose. */
const CHOICES: readonly (readonly [GenerationFilter, string])[] = [
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
];

/** As JSON, with sets as arrays. */
const describeFilter = (filter: GenerationFilter): string =>
  JSON.stringify(filter, (_key, value: unknown) => (value instanceof Set ? [...value] : value));

/** Generations as lists, charts and counts choose them. */
export const generationFilterCases: readonly StoreCase[] = [
  ...CHOICES.map(([filter, expected]) =>
    storeCase(`Generations of a store are chosen by ${describeFilter(filter)}`, async (store) => {
      await fill(store);
      const [page = [], ...more] = await find(store, filter);
      expectEqual(page.join(' '), expected);
      expectEqual(more.flat(), []);
    }),
  ),

  storeCase(
    'Generations of a store come page by page when they are chosen, each once and none left out',
    async (store) => {
      await fill(store);
      expectEqual((await find(store, { statuses: new Set(['ok']) }, 2)).flat(), ['5', '3', '1', '0']);
      expectEqual(
        (await find(store, {}, 4)).map((page) => page.length),
        [4, 2],
      );
    },
  ),

  storeCase('Generations of a store are chosen by their last version', async (store) => {
    await fill(store);
    expectEqual((await find(store, { statuses: new Set(['failed']) })).flat(), ['2']);
    const [first] = RECORDS;
    if (first === undefined) throw new Error('There is no record');
    await store.generations.update({ ...first, generation: { ...first.generation, finish_reason: 'error' } });
    expectEqual((await find(store, { statuses: new Set(['failed']) })).flat(), ['2', '0']);
  }),

  storeCase('Generations of a store are all found, however many do not match in between', async (store) => {
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
    const pages = await find(store, { principalIds: new Set(['rare']) }, 2);
    expectEqual(pages.flat(), ['4800', '2400', '0']);
    expectEqual(await store.generations.count(), 5000);
  }),

  storeCase('Generations of a store are counted by time, with their failures and their cost', async (store) => {
    await fill(store);
    const query = { startMs: msAt(1), bucketMs: 2 * 60_000, buckets: 3 };
    const toRow = ({ startMs, requests, failed, cancelled, costNanoUsd }: HistogramBucket) => [
      (startMs - msAt(0)) / 60_000,
      requests,
      failed,
      cancelled,
      costNanoUsd,
    ];
    expectEqual((await store.generations.histogram({ ...query, filter: {} })).buckets.map(toRow), [
      [1, 2, 1, 0, 1_400],
      [3, 2, 0, 1, 2_000],
      [5, 1, 0, 0, 2_000],
    ]);
    const ofBeta = await store.generations.histogram({ ...query, filter: { providerNames: new Set(['Beta']) } });
    expectEqual(
      ofBeta.buckets.map(({ requests }) => requests),
      [0, 1, 0],
    );
  }),

  storeCase(
    'Generations of a store are counted by time and by what they have in common, with first tokens and speeds',
    async (store) => {
      await fill(store);
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
      expectEqual(total, {
        requests: 7,
        failed: 1,
        cancelled: 1,
        interrupted: 0,
        costNanoUsd: 6_400,
        firstTokenP50Ms: 200,
        firstTokenP95Ms: 200,
        tokensPerSecondP50: 30,
        durationP50Ms: 3200,
        durationP95Ms: 3200,
        durationP99Ms: 3200,
        retries: 0,
        promptTokens: 0,
        cachedTokens: 0,
        cacheSavedNanoUsd: 0,
      });
      expectEqual(
        parts.map(({ value, buckets }) => [value, buckets.map(({ requests }) => requests)]),
        [
          ['Acme', [3, 2]],
          [null, [0, 1]],
        ],
      );
      expectEqual([rest?.values, rest?.total.requests, rest?.buckets.map(({ requests }) => requests)], [1, 1, [0, 1]]);
      const { parts: ofApps } = await store.generations.histogram({
        ...query,
        filter: { userIds: new Set(['u1']) },
        split: { by: 'app', rank: 'cost', limit: 2 },
      });
      expectEqual(
        ofApps.map(({ value, total: { requests } }) => [value, requests]),
        [
          ['https://app.example', 1],
          [null, 1],
        ],
      );
    },
  ),

  storeCase(
    'Generations of a store are counted by what they have in common, each kind under the filters of the others',
    async (store) => {
      await fill(store);
      const { total, statuses, models, providerNames, principalIds } = await store.generations.facets({
        createdFromMs: msAt(1),
        statuses: new Set(['ok']),
      });
      expectEqual(total, 3);
      expectEqual(Object.fromEntries(statuses), { cancelled: 1, failed: 1, ok: 3 });
      expectEqual(Object.fromEntries(models), { 'acme/chat-1': 2, 'acme/other': 1 });
      // One generation has no provider.
      expectEqual(Object.fromEntries(providerNames), { Acme: 1, Beta: 1 });
      expectEqual(principalIds.get('key-2'), 1);
    },
  ),

  durableStoreCase(
    'Generations of a store are chosen and counted when the store was opened again',
    async (store, reopen) => {
      await fill(store);
      store = await reopen();
      expectEqual((await find(store, { statuses: new Set(['failed', 'cancelled']) })).flat(), ['4', '2']);
      const query = { startMs: msAt(0), bucketMs: 60_000, buckets: 6, filter: {} };
      expectEqual(
        (await store.generations.histogram(query)).buckets.map(({ requests }) => requests),
        [1, 1, 1, 1, 1, 1],
      );
    },
  ),
];

type Order = Pick<SortedQuery, 'sort' | 'order'>;

const response = { status: 200 };

/** One a minute, oldest first: of `gen-3` nothing is known. */
const SORTED_RECORDS: readonly GenerationRecord[] = [
  toRecord('gen-0', {
    costNanoUsd: 500,
    generation: {
      created_at: at(0),
      model: 'b/model',
      tokens_prompt: 10,
      tokens_completion: 100,
      latency: 300,
      generation_time: 2_300,
      provider_responses: [response, response],
    },
  }),
  toRecord('gen-1', {
    costNanoUsd: 2_000,
    generation: {
      created_at: at(1),
      model: 'a/model',
      provider_name: 'Beta',
      tokens_prompt: 5,
      tokens_completion: 50,
      latency: 100,
      generation_time: 200,
      streamed: false,
      provider_responses: [response],
    },
  }),
  toRecord('gen-2', {
    costNanoUsd: 500,
    generation: {
      created_at: at(2),
      model: 'a/model',
      finish_reason: 'error',
      tokens_prompt: 10,
      tokens_completion: 0,
      latency: 5_000,
      generation_time: 5_000,
      provider_responses: [response, response, response],
    },
  }),
  toRecord('gen-3', { costNanoUsd: 0, generation: { created_at: at(3), provider_name: null, cost_known: false } }),
];

const fillSorted = async (store: Store, records = SORTED_RECORDS): Promise<void> => {
  for (const record of records) await store.generations.append(record, null);
};
/** Ids without `gen-`, page after page; `between` runs after each page. */
const read = async (
  store: Store,
  query: SortedQuery,
  between: (page: number) => Promise<void> = async () => undefined,
) => {
  const ids: string[] = [];
  let after: SortedPlace | undefined;
  let pages = 0;
  do {
    const { records, next } = await store.generations.sorted({ ...query, after });
    ids.push(...records.map(({ generation }) => generation.id.replace('gen-', '')));
    after = next ?? undefined;
    pages += 1;
    await between(pages);
  } while (after !== undefined);
  return ids;
};

const ORDERS: readonly (readonly [Order['sort'], ascending: string, descending: string])[] = [
  ['time', '0 1 2 3', '3 2 1 0'],
  ['cost', '2 0 1 3', '1 2 0 3'],
  ['duration', '1 0 2 3', '2 0 1 3'],
  // A whole response has no latency, nor has what failed before its first token.
  ['latency', '0 3 2 1', '0 3 2 1'],
  ['tokens_in', '1 2 0 3', '2 0 1 3'],
  ['tokens_out', '2 1 0 3', '0 1 2 3'],
  ['speed', '0 1 3 2', '1 0 3 2'],
  ['attempts', '3 1 0 2', '2 0 1 3'],
  ['model', '3 2 1 0', '0 2 1 3'],
  ['provider', '2 0 1 3', '1 2 0 3'],
  ['status', '2 3 1 0', '3 1 0 2'],
];

export const sortedGenerationCases: readonly StoreCase[] = [
  ...ORDERS.map(([sort, ascending, descending]) =>
    storeCase(
      `Sorted generations of a store come by ${sort}, unknown values last and equal ones newest first`,
      async (store) => {
        await fillSorted(store);
        // The model of `gen-3` comes between the others.
        const byModel = sort === 'model' ? ['2 1 3 0', '0 3 2 1'] : [ascending, descending];
        for (const limit of [1, 2, 10]) {
          expectEqual((await read(store, { limit, sort, order: 'asc' })).join(' '), byModel[0]);
          expectEqual((await read(store, { limit, sort, order: 'desc' })).join(' '), byModel[1]);
        }
      },
    ),
  ),

  storeCase('Sorted generations of a store come sorted under a filter', async (store) => {
    await fillSorted(store);
    const filter = { createdFromMs: Date.parse(at(1)), minCostNanoUsd: 1 };
    expectEqual(await read(store, { limit: 1, sort: 'cost', order: 'asc', filter }), ['2', '1']);
    expectEqual(
      await read(store, { limit: 9, sort: 'cost', order: 'desc', filter: { models: new Set(['none']) } }),
      [],
    );
  }),

  storeCase(
    'Sorted generations of a store come each once and none left out while others are added between the pages',
    async (store) => {
      const records = Array.from({ length: 200 }, (_, index) =>
        toRecord(`gen-${index}`, { costNanoUsd: (index * 37) % 50, generation: { created_at: at(index % 20) } }),
      );
      await fillSorted(store, records);
      const before = await read(store, { limit: 1000, sort: 'cost', order: 'desc' });
      const seen = await read(store, { limit: 7, sort: 'cost', order: 'desc' }, async (page) => {
        const added = [0, 25, 49].map((cost) =>
          toRecord(`gen-new-${page}-${cost}`, { costNanoUsd: cost, generation: { created_at: at(page % 20) } }),
        );
        await fillSorted(store, added);
      });
      expectEqual(
        seen.filter((id) => !id.startsWith('new')),
        before,
      );
      expectEqual(new Set(seen).size, seen.length);
    },
  ),

  storeCase('Sorted generations of a store go on after a place whose generation is not there', async (store) => {
    await fillSorted(store);
    const after = { value: 500, createdAtMs: Date.parse(at(1)), id: 'gen-gone' };
    const { records } = await store.generations.sorted({ limit: 10, sort: 'cost', order: 'desc', after });
    expectEqual(
      records.map(({ generation }) => generation.id),
      ['gen-0', 'gen-3'],
    );
  }),

  storeCase('Sorted generations of a store come by their last version', async (store) => {
    await fillSorted(store);
    const [first] = SORTED_RECORDS;
    if (first === undefined) throw new Error('There is no record');
    expectEqual(await read(store, { limit: 1, sort: 'cost', order: 'desc' }), ['1', '2', '0', '3']);
    await store.generations.update({ ...first, costNanoUsd: 9_000 });
    expectEqual(await read(store, { limit: 10, sort: 'cost', order: 'desc' }), ['0', '1', '2', '3']);
  }),
];
