import { expect, test } from 'vitest';

import { createMemoryStore } from '../stores/memory-store.ts';
import type { GenerationRecord } from '../stores/store.ts';
import { checkKeyLimit } from './check-key-limit.ts';

async function storeWithSpent(nanoUsd: number): Promise<ReturnType<typeof createMemoryStore>> {
  const store = createMemoryStore();
  const generation = { id: 'gen-1' } as GenerationRecord['generation'];
  await store.generations.append({ generation, principalId: 'key', costNanoUsd: nanoUsd }, null);
  return store;
}

test.each([null, undefined])('lets a key without a limit (%s) spend', async (limitUsd) => {
  await expect(
    checkKeyLimit({ kind: 'api', id: 'key', name: 'k', limitUsd }, await storeWithSpent(1e15)),
  ).resolves.toBeUndefined();
});

test('lets a key spend until its limit is reached', async () => {
  const principal = { kind: 'api', id: 'key', name: 'k', limitUsd: 0.5 } as const;
  await expect(checkKeyLimit(principal, await storeWithSpent(499_999_999))).resolves.toBeUndefined();
  await expect(checkKeyLimit(principal, await storeWithSpent(500_000_000))).rejects.toMatchObject({
    code: 'payment_required',
    status: 402,
    message: 'Key limit exceeded: $0.500000 of $0.5 is spent',
  });
  await expect(checkKeyLimit({ ...principal, id: 'other' }, await storeWithSpent(1e12))).resolves.toBeUndefined();
});

test('lets a key with a limit of nothing spend nothing', async () => {
  await expect(
    checkKeyLimit({ kind: 'api', id: 'new', name: 'k', limitUsd: 0 }, createMemoryStore()),
  ).rejects.toMatchObject({ status: 402 });
});
