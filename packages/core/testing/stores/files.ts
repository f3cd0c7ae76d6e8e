import type { StoredFile } from '@model-gateway/core';

import { expectEqual, expectRejection } from '../contract-case.ts';
import { durableStoreCase, ODD_NAMES, storeCase, type StoreCase } from './store-case.ts';

const toFile = (id: string, more: Partial<StoredFile> = {}): StoredFile => ({
  id,
  workspaceId: 'w1',
  filename: `Bericht "%_\\ ${id}.pdf`,
  mimeType: 'application/pdf',
  bytes: 3_000_000_000,
  purpose: 'user_data',
  origin: 'uploaded',
  createdBy: 'key',
  createdAt: '2026-03-01T10:00:00.000Z',
  expiresAt: null,
  content: 'c'.repeat(64),
  ...more,
});

export const fileCases: readonly StoreCase[] = [
  storeCase('A store keeps what is known of files, oldest first', async ({ files }) => {
    for (const id of ['b', 'a']) await files.insert(toFile(id));
    await expectRejection(files.insert(toFile('a', { bytes: 1 })));
    expectEqual(await files.list(), [toFile('b'), toFile('a')]);
    expectEqual(await files.get('a'), toFile('a'));
    expectEqual([await files.remove('b'), await files.remove('b')], [true, false]);
    expectEqual(await files.list(), [toFile('a')]);
  }),

  storeCase('A store takes no file for another one', async ({ files }) => {
    for (const id of ODD_NAMES) expectEqual(await files.get(id), undefined);
    for (const id of ODD_NAMES) await files.insert(toFile(id));
    for (const id of ODD_NAMES) expectEqual(await files.get(id), toFile(id));
  }),

  storeCase(
    'A store lists the files of one workspace alone, oldest first',
    async ({ files }) => {
      for (const id of ['b', 'a']) await files.insert(toFile(id));
      await files.insert(toFile('c', { workspaceId: 'w2' }));
      expectEqual(await files.listOf?.('w1'), [toFile('b'), toFile('a')]);
      expectEqual(await files.listOf?.('w3'), []);
    },
    'files.listOf',
  ),

  durableStoreCase('A store finds files again after it was closed and opened', async (store, reopen) => {
    for (const id of ['b', 'a', 'c']) await store.files.insert(toFile(id));
    await store.files.remove('c');
    store = await reopen();
    expectEqual(await store.files.list(), [toFile('b'), toFile('a')]);
  }),
];
