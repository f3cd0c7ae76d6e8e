import type { SortedPlace, SortedQuery } from '../../stores/generation-queries.ts';
import type { GenerationRecord, Store } from '../../stores/store.ts';
import { expectEqual } from '../assertions.ts';
import { toRecord } from '../rows/generation-records.ts';
import { storeCase, type StoreCase } from './store-case.ts';

type Order = Pick<SortedQuery, 'sort' | 'order'>;

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const response = { status: 200 };

/** One a minute, oldest first: of `gen-3` nothing is known. */
const RECORDS: readonly GenerationRecord[] = [
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

const fill = async (store: Store, records = RECORDS): Promise<void> => {
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
  // Of a whole response and of what failed before its first token there is none.
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
        await fill(store);
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
    await fill(store);
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
      await fill(store, records);
      const before = await read(store, { limit: 1000, sort: 'cost', order: 'desc' });
      const seen = await read(store, { limit: 7, sort: 'cost', order: 'desc' }, async (page) => {
        const added = [0, 25, 49].map((cost) =>
          toRecord(`gen-new-${page}-${cost}`, { costNanoUsd: cost, generation: { created_at: at(page % 20) } }),
        );
        await fill(store, added);
      });
      expectEqual(
        seen.filter((id) => !id.startsWith('new')),
        before,
      );
      expectEqual(new Set(seen).size, seen.length);
    },
  ),

  storeCase('Sorted generations of a store go on after a place whose generation is not there', async (store) => {
    await fill(store);
    const after = { value: 500, createdAtMs: Date.parse(at(1)), id: 'gen-gone' };
    const { records } = await store.generations.sorted({ limit: 10, sort: 'cost', order: 'desc', after });
    expectEqual(
      records.map(({ generation }) => generation.id),
      ['gen-0', 'gen-3'],
    );
  }),

  storeCase('Sorted generations of a store come by their last version', async (store) => {
    await fill(store);
    const [first] = RECORDS;
    if (first === undefined) throw new Error('There is no record');
    expectEqual(await read(store, { limit: 1, sort: 'cost', order: 'desc' }), ['1', '2', '0', '3']);
    await store.generations.update({ ...first, costNanoUsd: 9_000 });
    expectEqual(await read(store, { limit: 10, sort: 'cost', order: 'desc' }), ['0', '1', '2', '3']);
  }),
];
