import type { GuardrailHitsRow } from '../../stores/guardrail-hits-row.ts';
import { expectEqual } from '../assertions.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

/** A row of today, which no retention drops. */
function toRow(): GuardrailHitsRow {
  const day = new Date().toISOString().slice(0, 10);
  return {
    id: `g ${day}`,
    guardrailId: 'g',
    day,
    hours: { 3: { blocked: 2, over_budget: 1 }, 23: { narrowed: 7 } },
    refusals: [{ at: 5, effect: 'blocked', rule: 'Cards "x"', principalId: null, model: 'acme/chat' }],
  };
}

export const guardrailHitCases: readonly StoreCase[] = [
  storeCase('A store keeps what guardrails did, and adds to it', async (store) => {
    const { guardrailHits } = store;
    const row = toRow();
    expectEqual(await guardrailHits.update(row.id, (present) => present, row), row);
    await guardrailHits.update(row.id, ({ hours }) => ({ ...row, hours: { ...hours, 4: { flagged: 1 } } }));
    expectEqual(await guardrailHits.list(), [{ ...row, hours: { ...row.hours, 4: { flagged: 1 } } }]);
    expectEqual(await guardrailHits.remove(row.id), true);
    expectEqual(await guardrailHits.list(), []);
  }),

  durableStoreCase('A store finds what guardrails did when it is opened again', async (store, reopen) => {
    const row = toRow();
    await store.guardrailHits.insert(row);
    store = await reopen();
    expectEqual(await store.guardrailHits.list(), [row]);
  }),
];
