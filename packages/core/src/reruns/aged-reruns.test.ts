import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, test } from 'vitest';

import {
  rerunItemId,
  type RerunRow,
  rerunUploadId,
  type StoredRerun,
  type StoredRerunItem,
  type StoredRerunUpload,
} from '../stores/reruns.ts';
import type { RetentionState, Store } from '../stores/store.ts';
import type { RerunState } from '../wire/reruns.ts';
import { dropAgedReruns } from './aged-reruns.ts';

const NOW = Date.parse('2026-03-31T12:00:00.000Z');
const counts = { total: 1, pending: 0, running: 0, done: 1, failed: 0 };

/** A store that keeps records 30 days and contents 7, with a rerun of each age and state, each with an item and an upload. */
async function prepare(reruns: readonly (readonly [ageDays: number, state: RerunState])[], isHeld = false) {
  const memory = createMemoryStore();
  const retention: RetentionState = {
    now: () => NOW,
    isHeld: () => isHeld,
    changes: {
      configuredDays: 30,
      preview: async () => ({ generations: 0, contents: 0, contentBytes: 0 }),
      apply: async () => undefined,
    },
  };
  const store: Store = { ...memory, retention };
  await store.settings.update((settings) => ({ ...settings, retention: { days: null, content_days: 7 } }));
  for (const [ageDays, state] of reruns) {
    const id = `${state}-${ageDays}`;
    const createdAt = new Date(NOW - ageDays * 24 * 60 * 60 * 1000).toISOString();
    const rerun: StoredRerun = {
      id,
      kind: 'rerun',
      name: null,
      createdAt,
      createdBy: 'admin',
      owner: { id: 'admin', name: 'admin', isKey: false },
      targets: [{ model: 'acme/other' }],
      judges: [],
      concurrency: 1,
      maxCostNanoUsd: 1,
      items: 1,
      state,
      reason: null,
      counts,
      spentNanoUsd: 0,
      judgeNanoUsd: 0,
      lostNanoUsd: 0,
    };
    const item: StoredRerunItem = {
      id: rerunItemId(id, 0, 0),
      kind: 'item',
      rerunId: id,
      index: 0,
      target: 0,
      generationId: null,
      original: null,
      state: 'done',
      reason: null,
      calls: [],
      figures: null,
      verdicts: [],
      person: null,
    };
    const upload: StoredRerunUpload = {
      id: rerunUploadId(id, 0),
      kind: 'upload',
      rerunId: id,
      index: 0,
      request: { format: 'chat', body: { messages: [] } },
      completion: null,
    };
    for (const row of [rerun, upload, item] as RerunRow[]) await store.reruns.insert(row);
  }
  return store;
}

const idsOf = async ({ reruns }: Store): Promise<string[]> => (await reruns.list()).map(({ id }) => id).toSorted();

test('a rerun goes with all its rows when it is as old as the oldest records', async () => {
  const store = await prepare([
    [30, 'done'],
    [31, 'paused'],
    [45, 'failed'],
    [6, 'done'],
  ]);
  await dropAgedReruns(store);
  expect(await idsOf(store)).toEqual(['done-6', 'done-6.00000-0', 'done-6.00000-request']);
});

test('uploaded requests go earlier, when they are as old as the oldest contents', async () => {
  const store = await prepare([[8, 'done']]);
  await dropAgedReruns(store);
  expect(await idsOf(store)).toEqual(['done-8', 'done-8.00000-0']);
});

test('a rerun that is running or being created stays, however old it is', async () => {
  const store = await prepare([
    [90, 'running'],
    [90, 'estimating'],
  ]);
  await dropAgedReruns(store);
  expect(await idsOf(store)).toHaveLength(6);
});

test('nothing goes while retention is held because of a wrong clock', async () => {
  const store = await prepare([[90, 'done']], true);
  await dropAgedReruns(store);
  expect(await idsOf(store)).toHaveLength(3);
});
