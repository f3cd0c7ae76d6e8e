import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { toKey } from '../../testing/rows.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { Store } from '../stores/store.ts';
import { insertKey, removeMember } from './members.ts';

const KEY = toKey('new', { creatorUserId: 'dev', workspaceId: DEFAULT_WORKSPACE_ID });

async function createParts() {
  const store = createMemoryStore();
  await store.members.insert({ id: 'dev', email: '', first_name: null, last_name: null, role: 'org:member' });
  return { store, members: store.members, platform: createVirtualPlatform() };
}

type Parts = Awaited<ReturnType<typeof createParts>>;

const remove = (parts: Parts): Promise<boolean> => removeMember('dev', {}, parts);
const isDisabled = async ({ store }: Parts) => (await store.keys.get('new'))?.disabled;

/** The parts with a store that does something else first whenever one method of one table is called. */
const withStep = (parts: Parts, table: 'keys' | 'workspaces', method: 'insert' | 'list', step: () => Promise<void>) => {
  const before = parts.store[table] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const changed = {
    ...before,
    async [method](...args: unknown[]) {
      await step();
      return before[method]?.(...args);
    },
  };
  return { ...parts, store: { ...parts.store, [table]: changed } as Store };
};

test('disables a new key whose member is removed while it is stored', async () => {
  const parts = await createParts();
  const meanwhile = withStep(parts, 'keys', 'insert', async () => {
    await remove(parts);
  });
  await insertKey(KEY, meanwhile);
  expect(await isDisabled(parts)).toBe(true);
});

test('disables a new key that is stored while its member is removed', async () => {
  const parts = await createParts();
  const meanwhile = withStep(parts, 'workspaces', 'list', () => insertKey(KEY, parts));
  await removeMember('dev', {}, meanwhile);
  expect(await isDisabled(parts)).toBe(true);
});

test('refuses a new key of a member who has been removed, and takes creators who never were members', async () => {
  const parts = await createParts();
  await remove(parts);
  await expect(insertKey(KEY, parts, { isOfMember: true })).rejects.toMatchObject({ code: 'conflict' });
  await insertKey(KEY, parts);
  expect(await isDisabled(parts)).toBe(false);
});
