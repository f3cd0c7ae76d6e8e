import type { GenerationFilter, SessionPlace } from '../../stores/generation-queries.ts';
import type { GenerationRecord, Store } from '../../stores/store.ts';
import { expectEqual, expectMatch, expectThat } from '../assertions.ts';
import { toRecord } from '../rows/generation-records.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();
const ms = (minute: number): number => Date.parse(at(minute));

/** `a` at minutes 0, 3 and 6; `b` at 1 and 2; `c` at 4; and one call without a session. */
const RECORDS: readonly GenerationRecord[] = [
  toRecord('gen-a1', { costNanoUsd: 100, generation: { session_id: 'a', created_at: at(0), model: 'x/small' } }),
  toRecord('gen-b1', { costNanoUsd: 10, generation: { session_id: 'b', created_at: at(1) } }),
  toRecord('gen-b2', {
    costNanoUsd: 20,
    principalId: 'key-2',
    generation: { session_id: 'b', created_at: at(2), finish_reason: 'error', generation_time: 30_000 },
  }),
  toRecord('gen-a2', { costNanoUsd: 200, generation: { session_id: 'a', created_at: at(3), model: 'x/large' } }),
  toRecord('gen-c1', {
    costNanoUsd: 0,
    generation: { session_id: 'c', created_at: at(4), cancelled: true, cost_known: false },
  }),
  toRecord('gen-none', { costNanoUsd: 9_000, generation: { created_at: at(5) } }),
  toRecord('gen-a3', {
    costNanoUsd: 300,
    generation: { session_id: 'a', created_at: at(6), model: 'x/large', interrupted: true, finish_reason: 'error' },
  }),
];

async function fill(store: Store, records: readonly GenerationRecord[] = RECORDS): Promise<void> {
  for (const record of records) await store.generations.append(record, null);
}

async function idsOf(store: Store, filter?: GenerationFilter): Promise<string[]> {
  const { sessions } = await store.generations.sessions({ limit: 10, filter });
  return sessions.map(({ sessionId, matching }) => `${sessionId} ${matching}`);
}

export const sessionCases: readonly StoreCase[] = [
  storeCase('Sessions of a store come with the latest call first, and add up all calls of each', async (store) => {
    await fill(store);
    const { sessions, next } = await store.generations.sessions({ limit: 10 });
    expectEqual(next, null);
    expectMatch(sessions, [
      {
        sessionId: 'a',
        firstId: 'gen-a1',
        firstAtMs: ms(0),
        lastAtMs: ms(6),
        endMs: ms(6),
        requests: 3,
        matching: 3,
        failed: 0,
        cancelled: 0,
        interrupted: 1,
        costNanoUsd: 600,
        isCostKnown: true,
        models: ['x/large', 'x/small'],
        principalIds: ['key-1'],
      },
      {
        sessionId: 'c',
        firstId: 'gen-c1',
        cancelled: 1,
        isCostKnown: false,
        models: ['acme/chat-1'],
      },
      {
        sessionId: 'b',
        firstId: 'gen-b1',
        firstAtMs: ms(1),
        lastAtMs: ms(2),
        endMs: ms(2) + 30_000,
        failed: 1,
        principalIds: ['key-1', 'key-2'],
      },
    ]);
  }),

  durableStoreCase('Sessions of a store are the same after the store is opened again', async (store, reopen) => {
    await fill(store);
    const before = await store.generations.sessions({ limit: 10 });
    store = await reopen();
    expectEqual(await store.generations.sessions({ limit: 10 }), before);
  }),

  storeCase(
    'Sessions of a store are those of which a call matches the filter, with the figures of the whole session',
    async (store) => {
      await fill(store);
      expectEqual(await idsOf(store, { models: new Set(['x/large']) }), ['a 2']);
      expectEqual(await idsOf(store, { createdFromMs: ms(2), createdBeforeMs: ms(5) }), ['a 1', 'c 1', 'b 1']);
      expectEqual(await idsOf(store, { statuses: new Set(['failed']) }), ['b 1']);
      expectEqual(await idsOf(store, { sessionId: 'c' }), ['c 1']);
      expectEqual(await idsOf(store, { sessionId: '' }), []);
      const isLarge = { field: 'model', sign: ':', values: ['*large'], isNegated: false } as const;
      expectEqual(await idsOf(store, { conditions: [isLarge] }), ['a 2']);
      const { sessions } = await store.generations.sessions({ limit: 10, filter: { models: new Set(['x/large']) } });
      expectMatch(sessions, [{ requests: 3, costNanoUsd: 600 }]);
    },
  ),

  storeCase('Sessions of a store come page by page, each once, those of the same time by their ids', async (store) => {
    const records = Array.from({ length: 23 }, (_, index) =>
      toRecord(`gen-${index}`, { generation: { session_id: `s-${index}`, created_at: at(index % 4) } }),
    );
    await fill(store, records);
    const all = await store.generations.sessions({ limit: 100 });
    const seen: string[] = [];
    let after: SessionPlace | undefined;
    do {
      const page = await store.generations.sessions({ limit: 5, after });
      expectThat(page.sessions.length <= 5, 'a page has no more sessions than its limit');
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expectEqual(
      seen,
      all.sessions.map(({ sessionId }) => sessionId),
    );
    expectEqual(new Set(seen).size, 23);
  }),

  storeCase('Sessions of a store begin with the call of the smaller id where two began at once', async (store) => {
    const generation = { session_id: 'a', created_at: at(0) };
    await fill(
      store,
      ['gen-2', 'gen-1', 'gen-3'].map((id) => toRecord(id, { generation })),
    );
    const { sessions } = await store.generations.sessions({ limit: 1 });
    expectMatch(sessions, [{ firstId: 'gen-1', requests: 3 }]);
  }),

  storeCase('Sessions of a store go by the last version of a call', async (store) => {
    await fill(store);
    const record = RECORDS[0];
    if (record === undefined) throw new Error('There is no record');
    await store.generations.update({ ...record, costNanoUsd: 1_000 });
    const { sessions } = await store.generations.sessions({ limit: 1 });
    expectMatch(sessions, [{ sessionId: 'a', costNanoUsd: 1_500 }]);
  }),
];
