import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Store, StoredBatch, StoredBatchResult, StoredFile } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../test/support/stores/faulty-file-system.ts';
import { toKey } from '../../../../test/support/stores/generation-records.ts';
import { createMemoryStore } from '../../../core/src/stores/memory-store.ts';
import { toAssignment, toGuardrail } from '../../../core/testing/rows.ts';
import { openJsonFileStore } from '../../../node/src/stores/json-file-store.ts';
import { describeLeftBehind, mirrorTables } from './copy-tables.ts';

const KEYS = 200;

/** A store of files, and how many files have been replaced in it so far. */
async function openTarget() {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-mirror-'));
  const files = createFaultyFileSystem();
  const host = { files, monotonicNow: () => performance.now(), setTimer: () => () => undefined };
  const to = await openJsonFileStore({ dir }, host);
  onTestFinished(async () => {
    await to.close();
    await rm(dir, { recursive: true });
  });
  return { to, files, renames: () => files.names.filter((name) => name === 'rename').length };
}

async function makeSource(): Promise<Store> {
  const from = createMemoryStore();
  for (let nth = 0; nth < KEYS; nth += 1) await from.keys.insert(toKey(`key-${nth}`));
  return from;
}

test('many rows that are new, changed or gone are mirrored with a few writes, in their order', async () => {
  const from = await makeSource();
  const hashes = (await from.keys.list()).map(({ hash }) => hash);
  await from.guardrails.insert(toGuardrail('g1'));
  await from.keyAssignments.assign(hashes.map((hash) => toAssignment('g1', hash)));
  const { to, renames } = await openTarget();
  const mirror = async (): Promise<void> => {
    const before = renames();
    await mirrorTables(from, to);
    expect(await to.keys.list()).toEqual(await from.keys.list());
    expect(await to.keyAssignments.list()).toEqual(await from.keyAssignments.list());
    expect(renames() - before).toBeLessThan(KEYS / 10);
  };
  await mirror();
  for (const [nth, hash] of hashes.entries()) {
    if (nth % 3 === 0) await from.keys.remove(hash);
    if (nth % 3 === 1) await from.keys.update(hash, (key) => ({ ...key, disabled: true }));
    if (nth % 3 === 2) await from.keyAssignments.unassign('g1', [hash]);
  }
  await mirror();
});

test('whichever write fails, the mirroring ends with its reason, and the next one brings over the rest', async () => {
  const from = await makeSource();
  let isWhole = false;
  for (let nth = 1; !isWhole; nth += 1) {
    const { to, files } = await openTarget();
    const before = files.calls;
    files.failNth(nth, { code: 'ENOSPC', writtenBytes: 7 }, 'write');
    const failure = await mirrorTables(from, to).then(
      () => undefined,
      (error: unknown) => error,
    );
    isWhole = files.names.slice(before).filter((name) => name === 'write').length < nth;
    if (isWhole) expect(failure).toBeUndefined();
    else expect(failure, `write ${nth}`).toMatchObject({ code: 'ENOSPC' });
    files.heal();
    await mirrorTables(from, to);
    expect(await to.keys.list()).toEqual(await from.keys.list());
  }
});

test('uploaded files and batches, which stay behind, are counted without the results of batches', async () => {
  const file: StoredFile = {
    id: 'file-1',
    workspaceId: 'w',
    filename: 'a.txt',
    mimeType: 'text/plain',
    bytes: 1,
    purpose: 'user_data',
    origin: 'uploaded',
    createdBy: 'key-1',
    createdAt: '2026-03-01T10:00:00.000Z',
    expiresAt: null,
    content: 'c1',
  };
  const batch: StoredBatch = {
    id: 'batch-1',
    kind: 'batch',
    workspaceId: 'w',
    owner: { id: 'key-1', name: 'Key', isKey: true },
    endpoint: '/v1/chat/completions',
    inputFileId: 'file-1',
    status: 'in_progress',
    createdAt: 1000,
    expiresAt: 2000,
    times: {},
    metadata: null,
    total: 1,
    completed: 1,
    failed: 0,
    costNanoUsd: 0,
    problems: [],
    outputFileId: null,
    errorFileId: null,
    lease: null,
  };
  const result: StoredBatchResult = {
    id: 'batch-1.000000',
    kind: 'result',
    batchId: 'batch-1',
    index: 0,
    customId: 'a',
    generationId: null,
    status: 200,
    body: {},
    costNanoUsd: 0,
  };
  const from = createMemoryStore();
  expect(await describeLeftBehind(from)).toBeUndefined();
  await from.batches.insert(batch);
  await from.batches.insert(result);
  expect(await describeLeftBehind(from)).toBe('1 batch');
  for (const id of ['file-1', 'file-2']) await from.files.insert({ ...file, id });
  expect(await describeLeftBehind(from)).toBe('2 files and 1 batch');
});
