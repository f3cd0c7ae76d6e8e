import {
  type ActivitySum,
  DEFAULT_WORKSPACE_ID,
  type GenerationFilter,
  type GenerationRecord,
  type HistogramFigures,
  type SessionPlace,
  type Store,
} from '@model-gateway/core';

import { expectEqual, expectMatch, expectThat } from '../contract-case.ts';
import { toRecord } from '../rows.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

const SINCE = '2026-03-02';

const toCall = (id: string, day: string, more: { model?: string; by?: string; byok?: boolean; cost?: number } = {}) =>
  toRecord(id, {
    principalId: more.by ?? 'key-1',
    costNanoUsd: more.cost ?? 10,
    generation: {
      created_at: `${day}T12:00:00.000Z`,
      model: more.model ?? 'acme/chat',
      is_byok: more.byok ?? false,
      tokens_prompt: 5,
      tokens_completion: 3,
      native_tokens_reasoning: 2,
    },
  });
const call = (store: Store, ...what: Parameters<typeof toCall>): Promise<void> =>
  store.generations.append(toCall(...what), null);
const toLine = ({ date, model, requests, creditsNanoUsd, byokNanoUsd, promptTokens }: ActivitySum): string =>
  [date, model, requests, creditsNanoUsd, byokNanoUsd, promptTokens].join(' ');
const read = async (store: Store, since = SINCE, principalIds?: ReadonlySet<string>): Promise<string[]> =>
  (await store.generations.activity({ since, principalIds })).map(toLine).toSorted();
const callAll = async (store: Store): Promise<void> => {
  await call(store, 'g0', '2026-03-01');
  await call(store, 'g1', '2026-03-02');
  await call(store, 'g2', '2026-03-02', { by: 'key-2', byok: true, cost: 700 });
  await call(store, 'g3', '2026-03-03', { model: 'acme/other' });
};

export const activityCases: readonly StoreCase[] = [
  storeCase('The activity of a store adds up what is alike, from the first day on', async (store) => {
    await callAll(store);
    expectEqual(await read(store), ['2026-03-02 acme/chat 2 10 700 10', '2026-03-03 acme/other 1 10 0 5']);
    const [sum] = await store.generations.activity({ since: '2026-03-03' });
    expectMatch(sum, { providerName: 'Acme', workspaceId: '', completionTokens: 3, reasoningTokens: 2 });
  }),

  storeCase('The activity of a store narrows to principals', async (store) => {
    await callAll(store);
    expectEqual(await read(store, SINCE, new Set(['key-2', 'nobody'])), ['2026-03-02 acme/chat 1 0 700 5']);
    expectEqual(await read(store, SINCE, new Set()), []);
  }),

  storeCase('The activity of a store counts what came since it was last asked for', async (store) => {
    await callAll(store);
    await read(store);
    await call(store, 'g4', '2026-03-03', { model: 'acme/other' });
    await call(store, 'g5', '2026-03-01');
    expectEqual(await read(store), ['2026-03-02 acme/chat 2 10 700 10', '2026-03-03 acme/other 2 20 0 10']);
  }),

  storeCase(
    'The activity of a store counts the last version alone of what was changed after it was asked for',
    async (store) => {
      await callAll(store);
      await read(store);
      await store.generations.update(toCall('g1', '2026-03-02', { cost: 90 }));
      await store.generations.update(toCall('g3', '2026-03-01', { model: 'acme/other' }));
      await store.generations.update(toCall('g0', '2026-03-04'));
      expectEqual(await read(store), ['2026-03-02 acme/chat 2 90 700 10', '2026-03-04 acme/chat 1 10 0 5']);
    },
  ),

  storeCase('The activity of a store goes back further, and not so far, as it is asked to', async (store) => {
    await callAll(store);
    expectEqual((await read(store, '2026-03-03')).length, 1);
    expectEqual((await read(store, '2026-03-01')).length, 3);
    expectEqual((await read(store, '2026-03-02')).length, 2);
    expectEqual((await read(store, '2026-03-01')).length, 3);
  }),

  storeCase('The activity of a store tells all who ask at the same time the same', async (store) => {
    await Promise.all(Array.from({ length: 1500 }, (_, index) => call(store, `g${index}`, '2026-03-02')));
    const all = await Promise.all([
      read(store),
      read(store),
      read(store, '2026-03-01'),
      read(store, SINCE, new Set(['key-1'])),
    ]);
    expectEqual([...new Set(all.flat())], ['2026-03-02 acme/chat 1500 15000 0 7500']);
  }),
];

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

  storeCase('Sessions of a store are those of one workspace where one is given', async (store) => {
    const inBlue = { session_id: 'a', workspace_id: 'blue', model: 'x/large' };
    await fill(store, [
      ...RECORDS.map((record) => ({ ...record, generation: { ...record.generation, workspace_id: 'red' } })),
      toRecord('gen-blue-1', { costNanoUsd: 7, generation: { ...inBlue, created_at: at(2) } }),
      toRecord('gen-blue-2', { costNanoUsd: 8, generation: { ...inBlue, created_at: at(4) } }),
    ]);
    const isLarge = { field: 'model', sign: ':', values: ['*large'], isNegated: false } as const;
    const filters: GenerationFilter[] = [{}, { sessionId: 'a' }, { conditions: [isLarge] }];
    for (const filter of filters) {
      const { sessions } = await store.generations.sessions({ limit: 10, workspaceId: 'blue', filter });
      expectEqual(sessions.length, 1);
      expectMatch(sessions, [
        { sessionId: 'a', firstAtMs: ms(2), lastAtMs: ms(4), requests: 2, matching: 2, costNanoUsd: 15 },
      ]);
    }
    const others = await store.generations.sessions({ limit: 10, workspaceId: 'green', filter: { sessionId: 'a' } });
    expectEqual(others.sessions, []);
  }),

  storeCase('Sessions of the default workspace have the records that name none', async (store) => {
    await fill(store, [
      toRecord('gen-old', { generation: { session_id: 'a', workspace_id: null, created_at: at(2) } }),
      toRecord('gen-new', { generation: { session_id: 'a', workspace_id: DEFAULT_WORKSPACE_ID, created_at: at(4) } }),
      toRecord('gen-blue', { generation: { session_id: 'a', workspace_id: 'blue', created_at: at(6) } }),
    ]);
    for (const [workspaceId, requests] of [
      [DEFAULT_WORKSPACE_ID, 2],
      ['blue', 1],
    ] as const) {
      const query = { limit: 10, workspaceId, filter: { sessionId: 'a' } };
      expectMatch((await store.generations.sessions(query)).sessions, [{ sessionId: 'a', requests }]);
    }
  }),

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

const FIGURES_MS = Date.UTC(2026, 2, 1, 10);

/** What charts show beside counts and costs. */
export const figureCases: readonly StoreCase[] = [
  storeCase(
    'Generations of a store are counted with how long they took, their retries, and what their caches gave and saved',
    async (store) => {
      const attempt = { endpoint_id: 'acme:chat', status: 200 };
      const refused = { ...attempt, status: 503 };
      const told: readonly (Parameters<typeof toRecord>[1] & object)['generation'][] = [
        { generation_time: 100, native_tokens_cached: 60, tokens_prompt: 100, cache_discount: 0.02 },
        { generation_time: 300, provider_responses: [refused, refused, attempt] },
        { generation_time: 9_000, finish_reason: 'error', provider_responses: [refused, refused] },
        { generation_time: 7_000, cancelled: true, finish_reason: null, tokens_prompt: 5_000 },
        {
          generation_time: 200,
          native_tokens_cached: 0,
          tokens_prompt: 50,
          cache_discount: -0.005,
          provider_name: 'Beta',
        },
      ];
      for (const [at, generation] of told.entries())
        await store.generations.append(
          toRecord(`gen-${at}`, {
            generation: { ...generation, created_at: new Date(FIGURES_MS + at * 60_000).toISOString() },
          }),
          null,
        );
      const { total, buckets, parts, rest } = await store.generations.histogram({
        startMs: FIGURES_MS,
        bucketMs: 3 * 60_000,
        buckets: 2,
        filter: {},
        split: { by: 'provider', rank: 'requests', limit: 1 },
      });
      const toFigures = (figures: HistogramFigures) => [
        [figures.durationP50Ms, figures.durationP95Ms, figures.durationP99Ms],
        figures.retries,
        [figures.cachedTokens, figures.promptTokens, figures.cacheSavedNanoUsd],
      ];
      // What did not end well tells nothing of how long calls take; what tells of no cache is no part of its share.
      expectEqual(toFigures(total), [[200, 300, 300], 3, [60, 150, 15_000_000]]);
      expectEqual(buckets.map(toFigures), [
        [[100, 300, 300], 3, [60, 100, 20_000_000]],
        [[200, 200, 200], 0, [0, 50, -5_000_000]],
      ]);
      expectEqual(
        parts.map(({ value, total: ofValue }) => [value, ...toFigures(ofValue)]),
        [['Acme', [100, 300, 300], 3, [60, 100, 20_000_000]]],
      );
      expectEqual(rest === null ? null : toFigures(rest.total), [[200, 200, 200], 0, [0, 50, -5_000_000]]);
      const ofFailed = await store.generations.histogram({
        startMs: FIGURES_MS,
        bucketMs: 5 * 60_000,
        buckets: 1,
        filter: { statuses: new Set(['failed']) },
      });
      expectEqual(toFigures(ofFailed.total), [[null, null, null], 1, [0, 0, 0]]);
    },
  ),
];
