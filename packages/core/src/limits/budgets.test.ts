import { expect, test } from 'vitest';

import type { CallBound } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
import type { Principal } from '../http/request.ts';
import type { Spent, Store, WorkspaceRecord } from '../stores/store.ts';
import type { BudgetRaise } from '../wire/limits.ts';
import type { WorkspaceBudget } from '../wire/workspaces.ts';
import {
  boundWithin,
  type BudgetParts,
  findBudgets,
  intervalOf,
  periodEnd,
  periodStart,
  putBudget,
  readKeyUsage,
} from './budgets.ts';

test.each([
  ['2026-01-02T03:04:05.000Z', '2026-01-02', '2025-12-29', '2026-01-01'],
  ['2025-12-31T23:59:59.999Z', '2025-12-31', '2025-12-29', '2025-12-01'],
  ['2026-01-01T00:00:00.000Z', '2026-01-01', '2025-12-29', '2026-01-01'],
  ['2026-03-29T23:30:00.000Z', '2026-03-29', '2026-03-23', '2026-03-01'],
  ['2026-03-30T00:00:00.000Z', '2026-03-30', '2026-03-30', '2026-03-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02-29', '2028-02-28', '2028-02-01'],
  ['2028-03-01T00:00:00.000Z', '2028-03-01', '2028-02-28', '2028-03-01'],
  ['2026-10-31T23:00:00.000-05:00', '2026-11-01', '2026-10-26', '2026-11-01'],
])('at %s the day began on %s, the week on %s and the month on %s, in UTC', (now, day, week, month) => {
  const nowMs = Date.parse(now);
  expect(periodStart('daily', nowMs)).toBe(day);
  expect(periodStart('weekly', nowMs)).toBe(week);
  expect(periodStart('monthly', nowMs)).toBe(month);
  expect(periodStart(null, nowMs)).toBeUndefined();
});

test('ends a day at midnight, a week on Monday and a month on the first, in UTC, and a lifetime never', () => {
  const at = Date.parse('2026-12-31T23:59:59.999Z');
  expect(periodEnd('daily', at)).toBe('2027-01-01T00:00:00.000Z');
  expect(periodEnd('weekly', at)).toBe('2027-01-04T00:00:00.000Z');
  expect(periodEnd('monthly', at)).toBe('2027-01-01T00:00:00.000Z');
  expect(periodEnd('monthly', Date.parse('2028-02-29T00:00:00.000Z'))).toBe('2028-03-01T00:00:00.000Z');
  expect(periodEnd(null, at)).toBeNull();
});

const NOW = Date.parse('2026-05-06T07:08:09Z');
const PRINCIPAL: Principal = { id: 'hash', kind: 'api', name: 'dev', userId: 'mo', workspaceId: 'w-1' };
const toBudget = (limit: number, interval: WorkspaceBudget['reset_interval'], id = 'b'): WorkspaceBudget => ({
  id,
  workspace_id: 'w-1',
  limit_usd: limit,
  reset_interval: interval,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});

function find(
  principal: Partial<Principal>,
  account: BudgetParts['account'] = {},
  workspace?: Parameters<typeof findBudgets>[0]['workspace'],
) {
  const limits = { principal: { ...PRINCIPAL, ...principal }, policy: null, workspace };
  return findBudgets(limits, { account, platform: { now: () => NOW } });
}

test('the key’s budget counts own keys of the caller where it says so, and has more by a raise until that has ended', () => {
  const limited = { limitUsd: 1, limitReset: 'daily', includeByokInLimit: true } as const;
  const raise = { of: 'key:hash', add_usd: 2, until: '2026-05-06T07:08:10Z' } as BudgetRaise;
  expect(find(limited, { budgetRaises: [{ ...raise, of: 'key:other' }, raise] })).toEqual([
    {
      refusal: 'Key limit exceeded (daily)',
      code: 'payment_required',
      spender: 'key hash',
      query: { principalId: 'hash', since: '2026-05-06' },
      limitNanoUsd: 3_000_000_000,
      resetsAt: '2026-05-07T00:00:00.000Z',
      includesByok: true,
    },
  ]);
  const ended = { ...raise, until: new Date(NOW).toISOString() };
  expect(find({ limitUsd: 1 }, { budgetRaises: [ended] })).toMatchObject([
    { limitNanoUsd: 1_000_000_000, includesByok: false, resetsAt: null },
  ]);
});

test('of a workspace the broadest budget comes first, and it counts own keys of callers where the workspace does', () => {
  const workspace = (more: object) =>
    ({ id: 'w-1', workspace: more, budgets: [toBudget(1, 'daily'), toBudget(9, null)] }) as unknown as WorkspaceRecord;
  const budgets = find({}, {}, workspace({}));
  expect(budgets.map(({ refusal }) => refusal)).toEqual([
    'Workspace lifetime budget of $9.00 exceeded',
    'Workspace daily budget of $1.00 exceeded',
  ]);
  expect(budgets.map(({ spender, includesByok }) => [spender, includesByok])).toEqual([
    ['workspace w-1', false],
    ['workspace w-1', false],
  ]);
  expect(find({}, {}, workspace({ include_byok_in_budgets: true })).every(({ includesByok }) => includesByok)).toBe(
    true,
  );
});

test('the bound of a call is computed for one budget, and not without any', () => {
  const bound = { promptTokens: 1 } as unknown as CallBound;
  const call = { kind: { boundOf: () => bound }, request: {} } as unknown as ModelCall;
  expect(boundWithin(call, find({ limitUsd: 1 }))).toBe(bound);
  expect(boundWithin(call, find({}))).toBeNull();
});

test('a budget is larger than all of narrower intervals, and not the same', () => {
  const daily = toBudget(5, 'daily');
  expect(() => putBudget([daily], toBudget(5, 'monthly'))).toThrow('the daily budget ($5) must be below the monthly');
  expect(putBudget([daily], toBudget(5.01, 'monthly')).map(intervalOf)).toEqual(['daily', 'monthly']);
  // The same interval keeps its id.
  expect(putBudget([daily], toBudget(7, 'daily', 'new'))).toMatchObject([{ id: 'b', limit_usd: 7 }]);
});

test('what is left of a key’s limit counts own keys of the caller where it says so, and is never negative', async () => {
  const spent = { creditsNanoUsd: 600_000_000, byokNanoUsd: 300_000_000 } as Spent;
  const store = { generations: { spent: () => Promise.resolve(spent) } } as unknown as Pick<Store, 'generations'>;
  const leftOf = async (limitUsd: number | null, includeByokInLimit: boolean) => {
    const limit = { limitUsd, limitReset: 'weekly' as const, includeByokInLimit };
    return (await readKeyUsage('hash', limit, { store, platform: { now: () => NOW } })).remainingUsd;
  };
  expect([await leftOf(1, false), await leftOf(1, true)]).toEqual([0.4, 0.1]);
  expect([await leftOf(0.5, false), await leftOf(null, true)]).toEqual([0, null]);
  expect(await leftOf(1e308, true)).toBe(1e308);
});
