import type { RerunPart, RerunRow, StoredRerun } from '@model-gateway/core';

import { expectEqual, expectRejection } from '../contract-case.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

function toRerun(id: string, more: Partial<StoredRerun> = {}): StoredRerun {
  return {
    id,
    kind: 'rerun',
    name: `Rerun \u0000 "${id}"`,
    createdAt: '2026-03-01T10:00:00.000Z',
    createdBy: 'Mo',
    owner: { id: 'hash', name: 'app', isKey: true },
    targets: [{ model: 'acme/chat', parameters: { temperature: 0 } }],
    judges: [{ type: 'regex', pattern: '\\d' }],
    concurrency: 4,
    maxCostNanoUsd: 1_000_000_000_000,
    items: 1,
    state: 'running',
    reason: null,
    counts: { total: 1, pending: 1, running: 0, done: 0, failed: 0 },
    spentNanoUsd: 0,
    judgeNanoUsd: 0,
    lostNanoUsd: 0,
    ...more,
  };
}

const toItem = (rerunId: string, index: number): RerunPart => ({
  id: `${rerunId}.${index}`,
  kind: 'item',
  rerunId,
  index,
  target: 0,
  generationId: 'gen-1',
  original: { costNanoUsd: 5, latencyMs: null, promptTokens: 1, completionTokens: 2 },
  state: 'pending',
  reason: null,
  calls: [],
  figures: null,
  verdicts: [],
  person: null,
});

const toUpload = (rerunId: string): RerunPart => ({
  id: `${rerunId}.request`,
  kind: 'upload',
  rerunId,
  index: 0,
  request: { format: 'chat', body: { messages: [{ role: 'user', content: '\u0000\ud800 %_' }] } },
  completion: null,
});

/** A call is noted in its item before it is sent. */
const withCall = (row: RerunRow): RerunRow =>
  row.kind !== 'item'
    ? row
    : {
        ...row,
        state: 'running',
        calls: [...row.calls, { purpose: 'completion', generationId: 'gen-2', reservedNanoUsd: 7, costNanoUsd: null }],
      };

export const rerunCases: readonly StoreCase[] = [
  storeCase('A store keeps reruns and their items, oldest first', async ({ reruns }) => {
    for (const row of [toRerun('b'), toItem('b', 0), toUpload('b'), toRerun('a')]) await reruns.insert(row);
    await expectRejection(reruns.insert(toRerun('a', { name: 'second' })));
    expectEqual(await reruns.update('b.0', withCall), withCall(toItem('b', 0)));
    expectEqual(await reruns.list(), [toRerun('b'), withCall(toItem('b', 0)), toUpload('b'), toRerun('a')]);
    expectEqual(await reruns.get('b.request'), toUpload('b'));
    expectEqual(await reruns.update('c', withCall), undefined);
    expectEqual([await reruns.remove('b.0'), await reruns.remove('b.0')], [true, false]);
    expectEqual(await reruns.get('b.0'), undefined);
  }),

  storeCase('A store loses no call of a rerun that is noted while others are', async ({ reruns }) => {
    await reruns.insert(toItem('a', 0));
    await Promise.all(Array.from({ length: 10 }, () => reruns.update('a.0', withCall)));
    const row = await reruns.get('a.0');
    expectEqual(row?.kind === 'item' ? row.calls.length : null, 10);
  }),

  storeCase(
    'A store lists the reruns alone',
    async ({ reruns }) => {
      for (const row of [toRerun('b'), toItem('b', 0), toRerun('a'), toUpload('a')]) await reruns.insert(row);
      expectEqual(await reruns.listReruns?.(), [toRerun('b'), toRerun('a')]);
    },
    'reruns.listReruns',
  ),

  storeCase(
    'A store lists the parts of one rerun, and not those of another',
    async ({ reruns }) => {
      for (const row of [toRerun('a'), toItem('a', 0), toItem('aa', 0), toItem('a', 1), toUpload('a')])
        await reruns.insert(row);
      expectEqual(await reruns.listPartsOf?.('a'), [toItem('a', 0), toItem('a', 1), toUpload('a')]);
      expectEqual(await reruns.listPartsOf?.('b'), []);
    },
    'reruns.listPartsOf',
  ),

  durableStoreCase('A store finds reruns again after it was closed and opened', async (store, reopen) => {
    for (const row of [toRerun('a'), toItem('a', 0), toItem('a', 1)]) await store.reruns.insert(row);
    await store.reruns.update('a.0', withCall);
    await store.reruns.remove('a.1');
    store = await reopen();
    expectEqual(await store.reruns.list(), [toRerun('a'), withCall(toItem('a', 0))]);
  }),
];
