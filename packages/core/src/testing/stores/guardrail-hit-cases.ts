import type { GuardrailHitsRow } from '../../stores/rows.ts';
import type { GuardrailDaysQuery } from '../../stores/store.ts';
import { expectEqual } from '../assertions.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

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

  storeCase(
    'A store lists what guardrails did on some days, oldest first',
    async (store) => {
      const { guardrailHits } = store;
      const today = Date.parse(toRow().day);
      const dayBefore = (days: number): string => new Date(today - days * DAY_MS).toISOString().slice(0, 10);
      const insert = async (guardrailId: string, days: number): Promise<void> => {
        const day = dayBefore(days);
        await guardrailHits.insert({ ...toRow(), id: `${guardrailId} ${day}`, guardrailId, day });
      };
      for (const days of [3, 2, 1, 0]) await insert('g', days);
      for (const guardrailId of ['g2', 'odd \u0000 "%_\\']) await insert(guardrailId, 2);
      const list = async (query: GuardrailDaysQuery): Promise<string[]> =>
        ((await guardrailHits.listDays?.(query)) ?? []).map(
          ({ guardrailId, day }) => `${guardrailId} ${(today - Date.parse(day)) / DAY_MS}`,
        );
      expectEqual(await list({ from: dayBefore(2), to: dayBefore(1) }), ['g 2', 'g 1', 'g2 2', 'odd \u0000 "%_\\ 2']);
      expectEqual(await list({ from: dayBefore(1) }), ['g 1', 'g 0']);
      expectEqual(await list({ to: dayBefore(3) }), ['g 3']);
      expectEqual(await list({ guardrailId: 'g' }), ['g 3', 'g 2', 'g 1', 'g 0']);
      expectEqual(await list({ guardrailId: 'odd \u0000 "%_\\' }), ['odd \u0000 "%_\\ 2']);
    },
    'guardrailHits.listDays',
  ),

  durableStoreCase('A store finds what guardrails did when it is opened again', async (store, reopen) => {
    const row = toRow();
    await store.guardrailHits.insert(row);
    store = await reopen();
    expectEqual(await store.guardrailHits.list(), [row]);
  }),
];
