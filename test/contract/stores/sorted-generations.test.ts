import type { GenerationRecord, SortedPlace, SortedQuery, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toRecord } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

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

describe.each(storeImplementations)('Sorted generations of a $name store', ({ createPlace }) => {
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
  const fill = async (records = RECORDS): Promise<void> => {
    for (const record of records) await store.generations.append(record, null);
  };
  /** Ids without `gen-`, page after page; `between` runs after each page. */
  const read = async (query: SortedQuery, between: (page: number) => Promise<void> = async () => undefined) => {
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

  test.each<[Order['sort'], ascending: string, descending: string]>([
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
  ])('come by %s, unknown values last and equal ones newest first', async (sort, ascending, descending) => {
    await fill();
    // The model of `gen-3` comes between the others.
    const byModel = sort === 'model' ? ['2 1 3 0', '0 3 2 1'] : [ascending, descending];
    for (const limit of [1, 2, 10]) {
      expect((await read({ limit, sort, order: 'asc' })).join(' ')).toBe(byModel[0]);
      expect((await read({ limit, sort, order: 'desc' })).join(' ')).toBe(byModel[1]);
    }
  });

  test('come sorted under a filter', async () => {
    await fill();
    const filter = { createdFromMs: Date.parse(at(1)), minCostNanoUsd: 1 };
    expect(await read({ limit: 1, sort: 'cost', order: 'asc', filter })).toEqual(['2', '1']);
    expect(await read({ limit: 9, sort: 'cost', order: 'desc', filter: { models: new Set(['none']) } })).toEqual([]);
  });

  test('come each once and none left out while others are added between the pages', async () => {
    const records = Array.from({ length: 200 }, (_, index) =>
      toRecord(`gen-${index}`, { costNanoUsd: (index * 37) % 50, generation: { created_at: at(index % 20) } }),
    );
    await fill(records);
    const before = await read({ limit: 1000, sort: 'cost', order: 'desc' });
    const seen = await read({ limit: 7, sort: 'cost', order: 'desc' }, async (page) => {
      const added = [0, 25, 49].map((cost) =>
        toRecord(`gen-new-${page}-${cost}`, { costNanoUsd: cost, generation: { created_at: at(page % 20) } }),
      );
      await fill(added);
    });
    expect(seen.filter((id) => !id.startsWith('new'))).toEqual(before);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('go on after a place whose generation is not there', async () => {
    await fill();
    const after = { value: 500, createdAtMs: Date.parse(at(1)), id: 'gen-gone' };
    const { records } = await store.generations.sorted({ limit: 10, sort: 'cost', order: 'desc', after });
    expect(records.map(({ generation }) => generation.id)).toEqual(['gen-0', 'gen-3']);
  });

  test('come by their last version', async () => {
    await fill();
    const [first] = RECORDS;
    if (first === undefined) throw new Error('There is no record');
    expect(await read({ limit: 1, sort: 'cost', order: 'desc' })).toEqual(['1', '2', '0', '3']);
    await store.generations.update({ ...first, costNanoUsd: 9_000 });
    expect(await read({ limit: 10, sort: 'cost', order: 'desc' })).toEqual(['0', '1', '2', '3']);
  });
});
