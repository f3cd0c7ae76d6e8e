import type { ActivitySum } from '../../stores/generation-queries.ts';
import type { Store } from '../../stores/store.ts';
import { expectEqual, expectMatch } from '../assertions.ts';
import { toRecord } from '../rows/generation-records.ts';
import { storeCase, type StoreCase } from './store-case.ts';

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
