import type { ActivitySum, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toRecord } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

const SINCE = '2026-03-02';

describe.each(storeImplementations)('The activity of a $name store', ({ createPlace }) => {
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
  const call = (...what: Parameters<typeof toCall>): Promise<void> => store.generations.append(toCall(...what), null);
  const toLine = ({ date, model, requests, creditsNanoUsd, byokNanoUsd, promptTokens }: ActivitySum): string =>
    [date, model, requests, creditsNanoUsd, byokNanoUsd, promptTokens].join(' ');
  const read = async (since = SINCE, principalIds?: ReadonlySet<string>): Promise<string[]> =>
    (await store.generations.activity({ since, principalIds })).map(toLine).toSorted();
  const callAll = async (): Promise<void> => {
    await call('g0', '2026-03-01');
    await call('g1', '2026-03-02');
    await call('g2', '2026-03-02', { by: 'key-2', byok: true, cost: 700 });
    await call('g3', '2026-03-03', { model: 'acme/other' });
  };

  test('adds up what is alike, from the first day on', async () => {
    await callAll();
    expect(await read()).toEqual(['2026-03-02 acme/chat 2 10 700 10', '2026-03-03 acme/other 1 10 0 5']);
    const [sum] = await store.generations.activity({ since: '2026-03-03' });
    expect(sum).toMatchObject({ providerName: 'Acme', workspaceId: '', completionTokens: 3, reasoningTokens: 2 });
  });

  test('narrows to principals', async () => {
    await callAll();
    expect(await read(SINCE, new Set(['key-2', 'nobody']))).toEqual(['2026-03-02 acme/chat 1 0 700 5']);
    expect(await read(SINCE, new Set())).toEqual([]);
  });

  test('counts what came since it was last asked for', async () => {
    await callAll();
    await read();
    await call('g4', '2026-03-03', { model: 'acme/other' });
    await call('g5', '2026-03-01');
    expect(await read()).toEqual(['2026-03-02 acme/chat 2 10 700 10', '2026-03-03 acme/other 2 20 0 10']);
  });

  test('counts the last version alone of what was changed after it was asked for', async () => {
    await callAll();
    await read();
    await store.generations.update(toCall('g1', '2026-03-02', { cost: 90 }));
    await store.generations.update(toCall('g3', '2026-03-01', { model: 'acme/other' }));
    await store.generations.update(toCall('g0', '2026-03-04'));
    expect(await read()).toEqual(['2026-03-02 acme/chat 2 90 700 10', '2026-03-04 acme/chat 1 10 0 5']);
  });

  test('goes back further, and not so far, as it is asked to', async () => {
    await callAll();
    expect(await read('2026-03-03')).toHaveLength(1);
    expect(await read('2026-03-01')).toHaveLength(3);
    expect(await read('2026-03-02')).toHaveLength(2);
    expect(await read('2026-03-01')).toHaveLength(3);
  });

  test('tells all who ask at the same time the same', async () => {
    await Promise.all(Array.from({ length: 1500 }, (_, index) => call(`g${index}`, '2026-03-02')));
    const all = await Promise.all([read(), read(), read('2026-03-01'), read(SINCE, new Set(['key-1']))]);
    expect(new Set(all.flat())).toEqual(new Set(['2026-03-02 acme/chat 1500 15000 0 7500']));
  });
});
