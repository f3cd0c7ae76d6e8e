import type { Destination, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toKey } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';
import { toAssignment, toGuardrail, toModelRow, toProviderRow, toWorkspace } from '../../support/stores/table-rows.ts';

const [R1, R2, NOWHERE] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
];
const MEMBER = { id: 'm', email: 'm@example.com', first_name: null, last_name: null, role: 'org:admin' as const };
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

  test('changes a row by what stands there when its turn comes, so that no change is lost', async () => {
    await store.keys.insert(toKey('a', { limitUsd: 0 }));
    const raise = (): unknown => store.keys.update('a', (key) => ({ ...key, limitUsd: (key.limitUsd ?? 0) + 1 }));
    await Promise.all(Array.from({ length: 20 }, raise));
    expect((await store.keys.get('a'))?.limitUsd).toBe(20);
  });

  test('resolves a change with the new row, and with undefined when there is none', async () => {
    await store.guardrails.insert(toGuardrail(R1));
    const renamed = toGuardrail(R1, { name: 'new' });
    expect(await store.guardrails.update(R1, () => renamed)).toEqual(renamed);
    expect(await store.guardrails.get(R1)).toEqual(renamed);
    expect(await store.guardrails.update(R2, () => toGuardrail(R2))).toBeUndefined();
    expect(await store.guardrails.list()).toEqual([renamed]);
  });

  test('begins a row that is not there with the initial one, and goes on with it the next time', async () => {
    const rename =
      (name: string) =>
      ({ name: former, ...row }: ReturnType<typeof toGuardrail>) => ({
        ...row,
        name: former + name,
      });
    const initial = toGuardrail(R1, { name: 'a' });
    expect((await store.guardrails.update(R1, rename('b'), initial))?.name).toBe('ab');
    expect((await store.guardrails.update(R1, rename('c'), initial))?.name).toBe('abc');
    expect(await store.guardrails.list()).toHaveLength(1);
  });

  test('changes nothing when the change throws, and takes the next one', async () => {
    await store.members.insert(MEMBER);
    const refuse = (): never => {
      throw new RangeError('not so');
    };
    await expect(store.members.update('m', refuse)).rejects.toThrow('not so');
    expect(await store.members.get('m')).toEqual(MEMBER);
    expect(await store.members.update('m', (member) => ({ ...member, first_name: 'Mo' }))).toBeDefined();
  });

  test('puts an assignment in the place of what the key had, one a key', async () => {
    for (const id of [R1, R2]) await store.guardrails.insert(toGuardrail(id));
    expect(await store.keyAssignments.assign([toAssignment(R1, 'a'), toAssignment(R1, 'b')])).toBe(2);
    expect(await store.keyAssignments.assign([toAssignment(R2, 'a')])).toBe(1);
    expect(await store.keyAssignments.get('a')).toEqual(toAssignment(R2, 'a'));
    expect(await store.keyAssignments.list()).toEqual([toAssignment(R1, 'b'), toAssignment(R2, 'a')]);
    expect(await store.memberAssignments.get('a')).toBeUndefined();
  });

  test('assigns nothing to a guardrail that is gone', async () => {
    await store.guardrails.insert(toGuardrail(R1));
    expect(await store.memberAssignments.assign([toAssignment(NOWHERE, 'm'), toAssignment(R1, 'n')])).toBe(1);
    expect(await store.memberAssignments.get('m')).toBeUndefined();
  });

  test('takes away only what belongs to the guardrail, and counts it', async () => {
    for (const id of [R1, R2]) await store.guardrails.insert(toGuardrail(id));
    await store.keyAssignments.assign([toAssignment(R1, 'a'), toAssignment(R2, 'b')]);
    expect(await store.keyAssignments.unassign(R1, ['a', 'b', 'c'])).toBe(1);
    expect(await store.keyAssignments.unassign(R1, ['a'])).toBe(0);
    expect(await store.keyAssignments.list()).toEqual([toAssignment(R2, 'b')]);
  });

  test('removes the assignments of a guardrail, a key or a member with it', async () => {
    for (const id of [R1, R2]) await store.guardrails.insert(toGuardrail(id));
    await store.keys.insert(toKey('a'));
    await store.members.insert(MEMBER);
    await store.keyAssignments.assign([toAssignment(R1, 'a'), toAssignment(R2, 'b')]);
    await store.memberAssignments.assign([toAssignment(R1, 'm'), toAssignment(R2, 'n')]);
    await store.guardrails.remove(R2);
    expect(await store.keyAssignments.list()).toEqual([toAssignment(R1, 'a')]);
    expect(await store.memberAssignments.list()).toEqual([toAssignment(R1, 'm')]);
    await store.keys.remove('a');
    await store.members.remove('m');
    expect(await store.keyAssignments.get('a')).toBeUndefined();
    expect(await store.memberAssignments.list()).toEqual([]);
  });

  test('has settings that are empty at first, and the same object until they change', async () => {
    expect(store.settings.get()).toEqual({});
    expect(await store.settings.update((settings) => ({ ...settings, credits_usd: 5 }))).toEqual({ credits_usd: 5 });
    expect(store.settings.get()).toEqual({ credits_usd: 5 });
    expect(store.settings.get()).toBe(store.settings.get());
  });

  test('holds providers and models that were set up, as they were saved, in their order', async () => {
    for (const id of ['up', 'down']) await store.providers.insert(toProviderRow(id));
    await expect(store.providers.insert(toProviderRow('up'))).rejects.toThrow(/id up exists/);
    const off = toProviderRow('up', { enabled: false, sealed: null, keyHint: null, headerNames: [] });
    expect(await store.providers.update('up', () => off)).toEqual(off);
    expect(await store.providers.list()).toEqual([off, toProviderRow('down')]);
    expect(await store.providers.remove('up')).toBe(true);
    expect(await store.providers.get('up')).toBeUndefined();
    await store.models.insert(toModelRow('acme/chat'));
    expect(await store.models.get('acme/chat')).toEqual(toModelRow('acme/chat'));
    expect(await store.models.remove('acme/other')).toBe(false);
  });

  test.runIf(isDurable)('finds every table again after it was closed and opened', async () => {
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
    await store.settings.update(() => ({ privacy: { zdr: true } }));
    await store.close();
    store = await place.open();
    expect(await store.guardrails.list()).toEqual([rail]);
    expect(await store.members.list()).toEqual([MEMBER]);
    expect(await store.workspaces.get('w')).toEqual(toWorkspace('w'));
    expect(await store.destinations.get('d')).toEqual(DESTINATION);
    expect(await store.keyAssignments.list()).toEqual([toAssignment(R1, 'a')]);
    expect(await store.memberAssignments.list()).toEqual([toAssignment(R1, 'm')]);
    expect(await store.providers.list()).toEqual([toProviderRow('up')]);
    expect(await store.models.list()).toEqual([toModelRow('acme/chat')]);
    expect(store.settings.get()).toEqual({ privacy: { zdr: true } });
  });
});
