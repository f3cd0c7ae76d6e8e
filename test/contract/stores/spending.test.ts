import type { SpentQuery, Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toRecord } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

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

  const spend = (
    id: string,
    costNanoUsd: number,
    day: string,
    more: { byok?: boolean; by?: string } = {},
  ): Promise<void> =>
    store.generations.append(
      toRecord(id, {
        costNanoUsd,
        principalId: more.by ?? 'key-1',
        generation: { created_at: `${day}T23:59:59.999Z`, is_byok: more.byok ?? false },
      }),
      null,
    );
  const spendAll = async (): Promise<void> => {
    await spend('g1', 1, '2026-03-01');
    await spend('g2', 20, '2026-03-02');
    await spend('g3', 300, '2026-03-02', { byok: true });
    await spend('g4', 4_000, '2026-03-03', { by: 'key-2' });
    await spend('g5', 50_000, '2026-02-28');
  };

  const spendAsMembers = async (): Promise<void> => {
    const spendIn = (id: string, costNanoUsd: number, principalId: string, more: { userId?: string; in?: string }) =>
      store.generations.append(
        toRecord(id, {
          costNanoUsd,
          principalId,
          ...(more.userId !== undefined && { userId: more.userId }),
          generation: {
            created_at: id === 'g4' ? '2026-03-02T00:00:00.000Z' : '2026-03-01T00:00:00.000Z',
            workspace_id: more.in ?? null,
          },
        }),
        null,
      );
    await spendIn('g1', 1, 'key-1', {});
    await spendIn('g2', 20, 'key-1', { in: 'w1' });
    await spendIn('g3', 300, 'key-1', { in: 'w1', userId: 'mo' });
    await spendIn('g4', 4_000, 'key-2', { in: 'w2', userId: 'mo' });
  };

  test('sums what was spent from a day on, credits and what was paid to providers apart', async () => {
    await spendAll();
    const sum = (since?: string) => store.generations.spent({ principalId: 'key-1', since });
    expect(await sum()).toEqual({ creditsNanoUsd: 50_021, byokNanoUsd: 300 });
    expect(await sum('2026-03-01')).toEqual({ creditsNanoUsd: 21, byokNanoUsd: 300 });
    expect(await sum('2026-03-02')).toEqual({ creditsNanoUsd: 20, byokNanoUsd: 300 });
    expect(await sum('2026-03-03')).toEqual({ creditsNanoUsd: 0, byokNanoUsd: 0 });
    expect(await store.generations.spent({ principalId: 'nobody' })).toEqual({ creditsNanoUsd: 0, byokNanoUsd: 0 });
    expect(await store.generations.spentNanoUsd('key-1')).toBe(50_321);
  });

  test('sums over all principals when none is named', async () => {
    await spendAll();
    expect(await store.generations.spent({})).toEqual({ creditsNanoUsd: 54_021, byokNanoUsd: 300 });
    expect(await store.generations.spent({ since: '2026-03-03' })).toEqual({ creditsNanoUsd: 4_000, byokNanoUsd: 0 });
  });

  test('counts the last version of a generation, whatever it changes', async () => {
    await spend('g1', 7, '2026-03-01');
    const generation = { created_at: '2026-03-02T00:00:00.000Z', is_byok: true };
    await store.generations.update(toRecord('g1', { costNanoUsd: 9, principalId: 'key-2', generation }));
    expect(await store.generations.spent({ principalId: 'key-1' })).toEqual({ creditsNanoUsd: 0, byokNanoUsd: 0 });
    expect(await store.generations.spent({ since: '2026-03-02' })).toEqual({ creditsNanoUsd: 0, byokNanoUsd: 9 });
  });

  test('still has all of the sum, and that of a month, when days lie far apart', async () => {
    await spend('g1', 1, '2025-01-15');
    await spend('g2', 20, '2026-03-01');
    await spend('g3', 300, '2026-03-31');
    await spend('g4', 4_000, '2025-06-01');
    expect((await store.generations.spent({ since: '2026-03-01' })).creditsNanoUsd).toBe(320);
    expect((await store.generations.spent({})).creditsNanoUsd).toBe(4_321);
  });

  test('sums what a member has spent, whatever key it was with, and what a workspace has', async () => {
    await spendAsMembers();
    const sum = async (query: SpentQuery) => (await store.generations.spent(query)).creditsNanoUsd;
    expect(await sum({ userId: 'mo' })).toBe(4_300);
    expect(await sum({ userId: 'mo', since: '2026-03-02' })).toBe(4_000);
    expect(await sum({ userId: 'nobody' })).toBe(0);
    expect(await sum({ workspaceId: 'w1' })).toBe(320);
    expect(await sum({ workspaceId: 'w2' })).toBe(4_000);
    expect(await sum({ principalId: 'key-1' })).toBe(321);
    expect(await sum({})).toBe(4_321);
    expect(await store.generations.get('g3')).toMatchObject({ userId: 'mo', principalId: 'key-1' });
    expect(await store.generations.get('g1')).not.toHaveProperty('userId');
  });

  test.runIf(isDurable)('has the sums of members and workspaces after it was closed and opened', async () => {
    await spendAsMembers();
    await store.close();
    store = await place.open();
    expect(await store.generations.spent({ userId: 'mo' })).toEqual({ creditsNanoUsd: 4_300, byokNanoUsd: 0 });
    expect(await store.generations.spent({ workspaceId: 'w1' })).toEqual({ creditsNanoUsd: 320, byokNanoUsd: 0 });
    expect(await store.generations.get('g3')).toMatchObject({ userId: 'mo', principalId: 'key-1' });
  });

  test.runIf(isDurable)('has the same sums after it was closed and opened', async () => {
    await spendAll();
    await store.generations.update(
      toRecord('g1', { costNanoUsd: 2, generation: { created_at: '2026-03-01T23:59:59.999Z' } }),
    );
    await store.close();
    store = await place.open();
    expect(await store.generations.spent({ principalId: 'key-1' })).toEqual({
      creditsNanoUsd: 50_022,
      byokNanoUsd: 300,
    });
    expect(await store.generations.spent({ since: '2026-03-02' })).toEqual({
      creditsNanoUsd: 4_020,
      byokNanoUsd: 300,
    });
  });
});
