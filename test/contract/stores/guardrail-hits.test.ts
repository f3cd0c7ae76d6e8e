import type { GuardrailHitsRow, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

const toRow = (day: string): GuardrailHitsRow => ({
  id: `g ${day}`,
  guardrailId: 'g',
  day,
  hours: { 3: { blocked: 2, over_budget: 1 }, 23: { narrowed: 7 } },
  refusals: [{ at: 5, effect: 'blocked', rule: 'Cards "x"', principalId: null, model: 'acme/chat' }],
});
const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

describe.each(storeImplementations)('A $name store', ({ createPlace, isDurable }) => {
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

  test('keeps what guardrails did, and adds to it', async () => {
    const { guardrailHits } = store;
    const row = toRow(dayBefore(0));
    expect(await guardrailHits.update(row.id, (present) => present, row)).toEqual(row);
    await guardrailHits.update(row.id, ({ hours }) => ({ ...row, hours: { ...hours, 4: { flagged: 1 } } }));
    expect(await guardrailHits.list()).toEqual([{ ...row, hours: { ...row.hours, 4: { flagged: 1 } } }]);
    expect(await guardrailHits.remove(row.id)).toBe(true);
    expect(await guardrailHits.list()).toEqual([]);
  });

  test.skipIf(!isDurable)('finds it again when it is opened anew, but for days beyond retention', async () => {
    const [today, old] = [toRow(dayBefore(0)), toRow(dayBefore(40))];
    for (const row of [old, today]) await store.guardrailHits.insert(row);
    await store.close();
    store = await place.open();
    expect(await store.guardrailHits.list()).toEqual([today]);
  });
});
