import type { GenerationFilter, GenerationRecord, SessionPlace, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toRecord } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

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

describe.each(storeImplementations)('Sessions of a $name store', ({ createPlace, isDurable }) => {
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

  async function fill(records: readonly GenerationRecord[] = RECORDS): Promise<void> {
    for (const record of records) await store.generations.append(record, null);
  }

  async function idsOf(filter?: GenerationFilter): Promise<string[]> {
    const { sessions } = await store.generations.sessions({ limit: 10, filter });
    return sessions.map(({ sessionId, matching }) => `${sessionId} ${matching}`);
  }

  test('come with the latest call first, and add up all calls of each', async () => {
    await fill();
    const { sessions, next } = await store.generations.sessions({ limit: 10 });
    expect(next).toBeNull();
    expect(sessions).toEqual([
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
      expect.objectContaining({
        sessionId: 'c',
        firstId: 'gen-c1',
        cancelled: 1,
        isCostKnown: false,
        models: ['acme/chat-1'],
      }),
      expect.objectContaining({
        sessionId: 'b',
        firstId: 'gen-b1',
        firstAtMs: ms(1),
        lastAtMs: ms(2),
        endMs: ms(2) + 30_000,
        failed: 1,
        principalIds: ['key-1', 'key-2'],
      }),
    ]);
  });

  test.skipIf(!isDurable)('are the same after the store is opened again', async () => {
    await fill();
    const before = await store.generations.sessions({ limit: 10 });
    await store.close();
    store = await place.open();
    expect(await store.generations.sessions({ limit: 10 })).toEqual(before);
  });

  test('are those of which a call matches the filter, with the figures of the whole session', async () => {
    await fill();
    expect(await idsOf({ models: new Set(['x/large']) })).toEqual(['a 2']);
    expect(await idsOf({ createdFromMs: ms(2), createdBeforeMs: ms(5) })).toEqual(['a 1', 'c 1', 'b 1']);
    expect(await idsOf({ statuses: new Set(['failed']) })).toEqual(['b 1']);
    expect(await idsOf({ sessionId: 'c' })).toEqual(['c 1']);
    expect(await idsOf({ sessionId: '' })).toEqual([]);
    const isLarge = { field: 'model', sign: ':', values: ['*large'], isNegated: false } as const;
    expect(await idsOf({ conditions: [isLarge] })).toEqual(['a 2']);
    const { sessions } = await store.generations.sessions({ limit: 10, filter: { models: new Set(['x/large']) } });
    expect(sessions).toMatchObject([{ requests: 3, costNanoUsd: 600 }]);
  });

  test('come page by page, each once, those of the same time by their ids', async () => {
    const records = Array.from({ length: 23 }, (_, index) =>
      toRecord(`gen-${index}`, { generation: { session_id: `s-${index}`, created_at: at(index % 4) } }),
    );
    await fill(records);
    const all = await store.generations.sessions({ limit: 100 });
    const seen: string[] = [];
    let after: SessionPlace | undefined;
    do {
      const page = await store.generations.sessions({ limit: 5, after });
      expect(page.sessions.length).toBeLessThanOrEqual(5);
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(all.sessions.map(({ sessionId }) => sessionId));
    expect(new Set(seen).size).toBe(23);
  });

  test('begin with the call of the smaller id where two began at once', async () => {
    const generation = { session_id: 'a', created_at: at(0) };
    await fill(['gen-2', 'gen-1', 'gen-3'].map((id) => toRecord(id, { generation })));
    const { sessions } = await store.generations.sessions({ limit: 1 });
    expect(sessions).toMatchObject([{ firstId: 'gen-1', requests: 3 }]);
  });

  test('go by the last version of a call', async () => {
    await fill();
    const record = RECORDS[0];
    if (record === undefined) throw new Error('There is no record');
    await store.generations.update({ ...record, costNanoUsd: 1_000 });
    const { sessions } = await store.generations.sessions({ limit: 1 });
    expect(sessions).toMatchObject([{ sessionId: 'a', costNanoUsd: 1_500 }]);
  });
});
