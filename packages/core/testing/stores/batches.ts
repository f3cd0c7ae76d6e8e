import type { StoredBatch, StoredBatchResult, StoredSubmission } from '@model-gateway/core';

import { expectEqual, expectRejection } from '../contract-case.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

const toBatch = (id: string, more: Partial<StoredBatch> = {}): StoredBatch => ({
  id,
  kind: 'batch',
  workspaceId: 'w1',
  owner: { id: 'key', name: 'Key', isKey: true },
  endpoint: '/v1/chat/completions',
  inputFileId: 'or_file_1',
  status: 'in_progress',
  createdAt: 1000,
  expiresAt: 2000,
  times: { in_progress: 1001 },
  metadata: { 'team %_': 'a"b' },
  total: 2,
  completed: 0,
  failed: 0,
  costNanoUsd: 0,
  problems: [],
  outputFileId: null,
  errorFileId: null,
  lease: null,
  ...more,
});

const toResult = (batchId: string, index: number): StoredBatchResult => ({
  id: `${batchId}.00000${index}`,
  kind: 'result',
  batchId,
  index,
  customId: `line ${index}`,
  generationId: null,
  status: 200,
  body: { text: 'a\u0000b' },
  costNanoUsd: 21,
});

const toSubmission = (batchId: string): StoredSubmission => ({
  id: `${batchId}-1`,
  kind: 'submission',
  batchId,
  providerSlug: 'up',
  modelId: 'test/model',
  endpointTag: 'up',
  state: 'sent',
  upstreamId: 'batch_up',
  isCancelled: false,
  payer: { principalId: 'k', userId: null, workspaceId: 'w' },
  lines: [{ index: 2, generationId: 'gen-1', hold: { creditsNanoUsd: null, anyNanoUsd: 5 } }],
});

export const batchCases: readonly StoreCase[] = [
  storeCase('A store keeps batches with the results of their lines, each once', async ({ batches }) => {
    await batches.insert(toBatch('batch_b'));
    await batches.insert(toResult('batch_b', 1));
    await expectRejection(batches.insert(toResult('batch_b', 1)));
    const changed = toBatch('batch_b', { completed: 1 });
    expectEqual(await batches.update('batch_b', () => changed), changed);
    expectEqual(await batches.list(), [changed, toResult('batch_b', 1)]);
    expectEqual(await batches.remove('batch_b.000001'), true);
    expectEqual(await batches.list(), [changed]);
  }),

  storeCase(
    'A store lists batches without results, oldest first',
    async ({ batches }) => {
      for (const id of ['batch_b', 'batch_a']) await batches.insert(toBatch(id));
      await batches.insert(toResult('batch_a', 0));
      expectEqual(await batches.listBatches?.(), [toBatch('batch_b'), toBatch('batch_a')]);
    },
    'batches.listBatches',
  ),

  storeCase(
    'A store lists the batches that are still to be worked on, oldest first',
    async ({ batches }) => {
      await batches.insert(toBatch('batch_c', { status: 'completed' }));
      for (const id of ['batch_b', 'batch_a']) await batches.insert(toBatch(id));
      await batches.insert(toResult('batch_a', 0));
      await batches.update('batch_a', () => toBatch('batch_a', { status: 'cancelling' }));
      const open = [toBatch('batch_b'), toBatch('batch_a', { status: 'cancelling' })];
      expectEqual(await batches.listOpenBatches?.(), open);
      await batches.update('batch_b', () => toBatch('batch_b', { status: 'expired' }));
      expectEqual(await batches.listOpenBatches?.(), open.slice(1));
    },
    'batches.listOpenBatches',
  ),

  storeCase(
    'A store reads the results of one batch in the order of its lines, a page at a time',
    async ({ batches }) => {
      for (const id of ['batch_b', 'batch_a']) await batches.insert(toBatch(id));
      for (const index of [2, 0, 1]) await batches.insert(toResult('batch_a', index));
      await batches.insert(toResult('batch_b', 3));
      await batches.insert(toSubmission('batch_a'));
      const page = async (after: number) => batches.pageResultsOf?.('batch_a', { after, limit: 2 });
      expectEqual(await page(-1), [toResult('batch_a', 0), toResult('batch_a', 1)]);
      expectEqual(await page(1), [toResult('batch_a', 2)]);
      expectEqual(await page(2), []);
    },
    'batches.pageResultsOf',
  ),

  storeCase(
    'A store lists the submissions of one batch alone',
    async ({ batches }) => {
      for (const id of ['batch_b', 'batch_a']) await batches.insert(toBatch(id));
      await batches.insert(toResult('batch_a', 0));
      for (const id of ['batch_a', 'batch_b']) await batches.insert(toSubmission(id));
      expectEqual(await batches.listSubmissionsOf?.('batch_a'), [toSubmission('batch_a')]);
    },
    'batches.listSubmissionsOf',
  ),

  durableStoreCase('A store finds batches again after it was closed and opened', async (store, reopen) => {
    await store.batches.insert(toBatch('batch_b'));
    await store.batches.insert(toResult('batch_b', 0));
    store = await reopen();
    expectEqual(await store.batches.list(), [toBatch('batch_b'), toResult('batch_b', 0)]);
  }),
];
