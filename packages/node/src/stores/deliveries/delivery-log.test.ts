import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { DeliveryAttempt } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { append, DAY_MS, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();

const attempt = (id: string): DeliveryAttempt => ({
  destinationId: 'd-1',
  generationIds: [id],
  sentAt: place.nowMs,
  tookMs: 5,
  hasArrived: true,
  result: 'HTTP 200',
});

const listFiles = async (): Promise<string[]> => (await place.logs()).filter((name) => name.startsWith('deliveries-'));

test('a store without deliveries makes no file for them', async () => {
  const store = await place.open();
  await append(store, 'g1');
  expect(await store.deliveries.of('g1', place.nowMs)).toEqual([]);
  expect(await listFiles()).toEqual([]);
});

test('deliveries of each day are in a file of their own, which goes when retention drops the day', async () => {
  const store = await place.open({ retentionDays: 2 });
  const first = place.nowMs;
  await store.deliveries.append(attempt('g1'));
  place.nowMs += DAY_MS;
  await store.deliveries.append(attempt('g1'));
  expect(await listFiles()).toEqual(['deliveries-2026-03-01.ndjson', 'deliveries-2026-03-02.ndjson']);
  expect(await store.deliveries.of('g1', first)).toHaveLength(2);
  place.nowMs += DAY_MS;
  await append(store, 'g2');
  place.nowMs += DAY_MS;
  await append(store, 'g3');
  await store.deliveries.append(attempt('g3'));
  expect(await listFiles()).toEqual(['deliveries-2026-03-02.ndjson', 'deliveries-2026-03-04.ndjson']);
  await store.close();
  place.nowMs += DAY_MS;
  await place.open({ retentionDays: 2 });
  expect(await listFiles()).toEqual(['deliveries-2026-03-04.ndjson']);
});

test('a line that a crash has cut is left out, and what follows is kept', async () => {
  const store = await place.open();
  await store.deliveries.append(attempt('g1'));
  await store.close();
  await appendFile(join(place.dir, 'logs', 'deliveries-2026-03-01.ndjson'), '{"crc32":"00000000","rec"g1"');
  const again = await place.open();
  await again.deliveries.append(attempt('g2'));
  expect(await again.deliveries.of('g1', place.nowMs)).toHaveLength(1);
  expect(await again.deliveries.of('g2', place.nowMs)).toHaveLength(1);
});

test('a write that fails loses that delivery alone', async () => {
  const store = await place.open();
  await store.deliveries.append(attempt('g1'));
  place.files.failNth(1, { code: 'ENOSPC', writtenBytes: 20 }, 'write');
  await expect(store.deliveries.append(attempt('g2'))).rejects.toThrow('ENOSPC');
  await store.deliveries.append(attempt('g3'));
  const found = await Promise.all(['g1', 'g2', 'g3'].map(async (id) => store.deliveries.of(id, place.nowMs)));
  expect(found.map(({ length }) => length)).toEqual([1, 0, 1]);
});
