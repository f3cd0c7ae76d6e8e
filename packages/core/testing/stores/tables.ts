import type { GuardrailHitsRow, Store, Destination } from '@model-gateway/core';

import { expectEqual, expectRejection, expectThat } from '../contract-case.ts';
import {
  toAssignment,
  toByokKey,
  toGroup,
  toGuardrail,
  toKey,
  toModelRow,
  toProviderRow,
  toWorkspace,
} from '../rows.ts';
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
      const list = async (query: Parameters<NonNullable<Store['guardrailHits']['listDays']>>[0]): Promise<string[]> =>
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

/** Keys, and with them what every table does. */
export const keyCases: readonly StoreCase[] = [
  storeCase('A store gives back a key that was inserted', async (store) => {
    const key = toKey('a1', { limitUsd: 2.5, limitReset: 'monthly', expiresAt: '2027-01-01T00:00:00.000Z' });
    await store.keys.insert(key);
    expectEqual(await store.keys.get('a1'), key);
    expectEqual(await store.keys.get('unknown'), undefined);
  }),

  storeCase('A store lists keys oldest first, an updated one at its old place', async (store) => {
    for (const hash of ['c', 'a', 'b']) await store.keys.insert(toKey(hash));
    await store.keys.update('c', (key) => ({ ...key, name: 'changed' }));
    expectEqual(
      (await store.keys.list()).map(({ hash, name }) => [hash, name]),
      [
        ['c', 'changed'],
        ['a', 'Key a'],
        ['b', 'Key b'],
      ],
    );
  }),

  storeCase('A store refuses a key whose hash exists and keeps the first', async (store) => {
    await store.keys.insert(toKey('a', { name: 'first' }));
    await expectRejection(store.keys.insert(toKey('a', { name: 'second' })));
    expectEqual((await store.keys.get('a'))?.name, 'first');
  }),

  storeCase('A store tells when there is no key to update or remove', async (store) => {
    expectEqual(await store.keys.update('a', (key) => key), undefined);
    expectEqual(await store.keys.remove('a'), false);
    expectEqual(await store.keys.list(), []);
  }),

  storeCase('A store forgets a key that was removed', async (store) => {
    await store.keys.insert(toKey('a'));
    expectEqual(await store.keys.remove('a'), true);
    expectEqual(await store.keys.get('a'), undefined);
    expectEqual(await store.keys.remove('a'), false);
  }),

  storeCase('A store keeps every key of many inserted at once', async (store) => {
    const hashes = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await Promise.all(hashes.map((hash) => store.keys.insert(toKey(hash))));
    expectEqual((await store.keys.list()).map(({ hash }) => hash).toSorted(), hashes.toSorted());
  }),
];

const [R1, R2, NOWHERE] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
];
const MEMBER = { id: 'm', email: 'm@example.com', first_name: null, last_name: null, role: 'org:admin' as const };
const RATE_LIMIT = { key: '*', model: 'acme/chat', requests_per_minute: 60, tokens_per_minute: null };
const DESTINATION: Destination = {
  id: 'd',
  workspace_id: 'w',
  type: 'webhook',
  name: 'Ours',
  enabled: true,
  privacy_mode: false,
  sampling_rate: 0.5,
  api_key_hashes: null,
  filter_rules: { enabled: true, groups: [] },
  broadcast_generation_cost: true,
  broadcast_generation_identity: true,
  broadcast_generation_request_context: true,
  regions: ['global'],
  config: { url: 'https://example.com/', method: 'POST', headers: { Authorization: 'secret' } },
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};

export const tableCases: readonly StoreCase[] = [
  storeCase(
    'A store changes a row by what stands there when its turn comes, so that no change is lost',
    async (store) => {
      await store.keys.insert(toKey('a', { limitUsd: 0 }));
      const raise = (): unknown => store.keys.update('a', (key) => ({ ...key, limitUsd: (key.limitUsd ?? 0) + 1 }));
      await Promise.all(Array.from({ length: 20 }, raise));
      expectEqual((await store.keys.get('a'))?.limitUsd, 20);
    },
  ),

  storeCase('A store resolves a change with the new row, and with undefined when there is none', async (store) => {
    await store.guardrails.insert(toGuardrail(R1));
    const renamed = toGuardrail(R1, { name: 'new' });
    expectEqual(await store.guardrails.update(R1, () => renamed), renamed);
    expectEqual(await store.guardrails.get(R1), renamed);
    expectEqual(await store.guardrails.update(R2, () => toGuardrail(R2)), undefined);
    expectEqual(await store.guardrails.list(), [renamed]);
  }),

  storeCase(
    'A store begins a row that is not there with the initial one, and goes on with it the next time',
    async (store) => {
      const rename =
        (name: string) =>
        ({ name: former, ...row }: ReturnType<typeof toGuardrail>) => ({
          ...row,
          name: former + name,
        });
      const initial = toGuardrail(R1, { name: 'a' });
      expectEqual((await store.guardrails.update(R1, rename('b'), initial))?.name, 'ab');
      expectEqual((await store.guardrails.update(R1, rename('c'), initial))?.name, 'abc');
      expectEqual((await store.guardrails.list()).length, 1);
    },
  ),

  storeCase('A store changes nothing when the change throws, and takes the next one', async (store) => {
    await store.members.insert(MEMBER);
    const refuse = (): never => {
      throw new RangeError('not so');
    };
    await expectRejection(store.members.update('m', refuse), /not so/);
    expectEqual(await store.members.get('m'), MEMBER);
    const changed = await store.members.update('m', (member) => ({ ...member, first_name: 'Mo' }));
    expectEqual(changed?.first_name, 'Mo');
  }),

  storeCase('A store shows all rows to the check of a new one, and to a change', async (store) => {
    const refuseSecond = (rows: readonly unknown[]): void => {
      if (rows.length > 0) throw new RangeError('one is enough');
    };
    const insertAll = ['m', 'n', 'o'].map((id) => store.members.insert({ ...MEMBER, id }, refuseSecond));
    const statuses = (await Promise.allSettled(insertAll)).map(({ status }) => status);
    // Which one comes first is open where several processes share the store.
    expectEqual(statuses.toSorted(), ['fulfilled', 'rejected', 'rejected']);
    const id = ['m', 'n', 'o'][statuses.indexOf('fulfilled')] ?? '';
    expectEqual(await store.members.list(), [{ ...MEMBER, id }]);
    await store.members.insert({ ...MEMBER, id: 'p' });
    const refused = store.members.update(id, (member, rows) => {
      refuseSecond(rows.filter((row) => row.id !== member.id));
      return member;
    });
    await expectRejection(refused, /one is enough/);
  }),

  storeCase('A store puts an assignment in the place of what the key had, one a key', async (store) => {
    for (const id of [R1, R2]) await store.guardrails.insert(toGuardrail(id));
    expectEqual(await store.keyAssignments.assign([toAssignment(R1, 'a'), toAssignment(R1, 'b')]), 2);
    expectEqual(await store.keyAssignments.assign([toAssignment(R2, 'a')]), 1);
    expectEqual(await store.keyAssignments.get('a'), toAssignment(R2, 'a'));
    expectEqual(await store.keyAssignments.list(), [toAssignment(R1, 'b'), toAssignment(R2, 'a')]);
    expectEqual(await store.memberAssignments.get('a'), undefined);
  }),

  storeCase('A store assigns nothing to a guardrail that is gone', async (store) => {
    await store.guardrails.insert(toGuardrail(R1));
    expectEqual(await store.memberAssignments.assign([toAssignment(NOWHERE, 'm'), toAssignment(R1, 'n')]), 1);
    expectEqual(await store.memberAssignments.get('m'), undefined);
  }),

  storeCase('A store takes away only what belongs to the guardrail, and counts it', async (store) => {
    for (const id of [R1, R2]) await store.guardrails.insert(toGuardrail(id));
    await store.keyAssignments.assign([toAssignment(R1, 'a'), toAssignment(R2, 'b')]);
    expectEqual(await store.keyAssignments.unassign(R1, ['a', 'b', 'c']), 1);
    expectEqual(await store.keyAssignments.unassign(R1, ['a']), 0);
    expectEqual(await store.keyAssignments.list(), [toAssignment(R2, 'b')]);
  }),

  storeCase('A store removes the assignments of a guardrail, a key or a member with it', async (store) => {
    for (const id of [R1, R2]) await store.guardrails.insert(toGuardrail(id));
    await store.keys.insert(toKey('a'));
    await store.members.insert(MEMBER);
    await store.keyAssignments.assign([toAssignment(R1, 'a'), toAssignment(R2, 'b')]);
    await store.memberAssignments.assign([toAssignment(R1, 'm'), toAssignment(R2, 'n')]);
    await store.guardrails.remove(R2);
    expectEqual(await store.keyAssignments.list(), [toAssignment(R1, 'a')]);
    expectEqual(await store.memberAssignments.list(), [toAssignment(R1, 'm')]);
    await store.keys.remove('a');
    await store.members.remove('m');
    expectEqual(await store.keyAssignments.get('a'), undefined);
    expectEqual(await store.memberAssignments.list(), []);
  }),

  storeCase('A store has settings that are empty at first, and the same object until they change', async (store) => {
    expectEqual(store.settings.get(), {});
    expectEqual(await store.settings.update((settings) => ({ ...settings, credits_usd: 5 })), { credits_usd: 5 });
    expectEqual(store.settings.get(), { credits_usd: 5 });
    expectThat(store.settings.get() === store.settings.get(), 'settings are the same object until they change');
  }),

  storeCase(
    'A store holds providers, models, groups and keys of callers, as they were saved, in their order',
    async (store) => {
      for (const id of ['up', 'down']) await store.providers.insert(toProviderRow(id));
      await expectRejection(store.providers.insert(toProviderRow('up')));
      const off = toProviderRow('up', { enabled: false, sealed: null, keyHint: null, headerNames: [] });
      expectEqual(await store.providers.update('up', () => off), off);
      expectEqual(await store.providers.list(), [off, toProviderRow('down')]);
      expectEqual(await store.providers.remove('up'), true);
      expectEqual(await store.providers.get('up'), undefined);
      await store.byokKeys.insert(toByokKey('b1'));
      const changed = toByokKey('b1', { name: null, sealed: 'other', allowed_models: ['acme/chat'] });
      expectEqual(await store.byokKeys.update('b1', () => changed), changed);
      expectEqual(await store.byokKeys.list(), [changed]);
      expectEqual([await store.byokKeys.remove('b1'), await store.byokKeys.get('b1')], [true, undefined]);
      await store.scimGroups.insert(toGroup('g1'));
      const other = toGroup('g1', { displayName: 'Other', externalId: null, members: [], mappings: [] });
      expectEqual(await store.scimGroups.update('g1', () => other), other);
      await expectRejection(store.scimGroups.insert(toGroup('g1')));
      expectEqual(await store.scimGroups.list(), [other]);
      expectEqual([await store.scimGroups.remove('g1'), await store.scimGroups.get('g1')], [true, undefined]);
      await store.models.insert(toModelRow('acme/chat'));
      expectEqual(await store.models.get('acme/chat'), toModelRow('acme/chat'));
      expectEqual(await store.models.remove('acme/other'), false);
    },
  ),

  durableStoreCase('A store finds every table again after it was closed and opened', async (store, reopen) => {
    const rail = toGuardrail(R1, {
      allowed_models: ['acme/chat'],
      content_filters: [{ pattern: 'a', action: 'block', label: null, direction: 'both' }],
    });
    await store.guardrails.insert(rail);
    await store.members.insert(MEMBER);
    await store.workspaces.insert(toWorkspace('w'));
    await store.destinations.insert(DESTINATION);
    await store.keyAssignments.assign([toAssignment(R1, 'a')]);
    await store.memberAssignments.assign([toAssignment(R1, 'm')]);
    await store.providers.insert(toProviderRow('up'));
    await store.models.insert(toModelRow('acme/chat'));
    await store.byokKeys.insert(toByokKey('b1'));
    await store.scimGroups.insert(toGroup('g1'));
    const settings = {
      privacy: { zdr: true },
      rate_limits: [RATE_LIMIT],
      views: [{ name: 'All', search: {}, hidden_columns: null }],
    };
    await store.settings.update(() => settings);
    store = await reopen();
    expectEqual(await store.guardrails.list(), [rail]);
    expectEqual(await store.members.list(), [MEMBER]);
    expectEqual(await store.workspaces.get('w'), toWorkspace('w'));
    expectEqual(await store.destinations.get('d'), DESTINATION);
    expectEqual(await store.keyAssignments.list(), [toAssignment(R1, 'a')]);
    expectEqual(await store.memberAssignments.list(), [toAssignment(R1, 'm')]);
    expectEqual(await store.providers.list(), [toProviderRow('up')]);
    expectEqual(await store.models.list(), [toModelRow('acme/chat')]);
    expectEqual(await store.byokKeys.list(), [toByokKey('b1')]);
    expectEqual(await store.scimGroups.list(), [toGroup('g1')]);
    expectEqual(store.settings.get(), settings);
  }),
];
