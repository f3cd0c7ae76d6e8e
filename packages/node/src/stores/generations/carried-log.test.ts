import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SpendingSum, Store } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { append, DAY_MS, listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();
const carriedPath = (): string => join(place.dir, 'carried-spending.ndjson');

/** Sums of so many keys, each of one amount, and of the account. */
function toSums(keys: number, creditsNanoUsd: number): readonly SpendingSum[] {
  const sum = (kind: SpendingSum['kind'], id: string, amount: number): SpendingSum => ({
    kind,
    id,
    day: '2026-02-28',
    creditsNanoUsd: amount,
    byokNanoUsd: 0,
  });
  const spenders = Array.from({ length: keys }, (_, at) => sum('key', `carried-${at}`, creditsNanoUsd));
  return [sum('account', '', keys * creditsNanoUsd), ...spenders];
}
const spentIn = async (store: Store): Promise<number> => (await store.generations.spent({})).creditsNanoUsd;

test('a store that ends at any step of a change of what was carried has all of it as before, or all of it as changed', async () => {
  let store = await place.open();
  await store.generations.carrySpending('a', toSums(2500, 1));
  const before = place.files.calls;
  await store.generations.carrySpending('a', toSums(2500, 1));
  const steps = place.files.calls - before;
  expect(steps).toBeGreaterThan(3);
  const seen = new Set<number>();
  for (let step = 1; step <= steps; step += 1) {
    const known = await spentIn(store);
    const next = step % 2 === 0 ? 3 : 2;
    place.files.failFrom(step, { code: 'ENOSPC', writtenBytes: 10 });
    const isDone = await store.generations.carrySpending('a', toSums(2500, next)).then(
      () => true,
      () => false,
    );
    if (!isDone) expect(await spentIn(store)).toBe(known);
    await store.close().catch(() => undefined);
    place.files.heal();
    store = await place.open();
    const found = await spentIn(store);
    expect([known, 2500 * next]).toContain(found);
    expect(await store.generations.spentNanoUsd('carried-2499')).toBe(found / 2500);
    seen.add(found === known ? step : -step);
  }
  // Both happened.
  expect(Math.min(...seen)).toBeLessThan(0);
  expect(Math.max(...seen)).toBeGreaterThan(0);
  expect(place.warnings.filter((message) => message.includes('damaged'))).toEqual([]);
});

test('what was carried outlives the generations of its time', async () => {
  const first = await place.open({ retentionDays: 2 });
  await append(first, 'gen-1');
  const own = await spentIn(first);
  await first.generations.carrySpending('a', toSums(1, 5));
  await first.close();
  place.nowMs += 100 * DAY_MS;
  for (let round = 0; round < 2; round += 1) {
    const store = await place.open({ retentionDays: 2, trustsClock: true });
    expect(await listIds(store)).toEqual([]);
    expect(await spentIn(store)).toBe(own + 5);
    await store.close();
  }
});

test('changes of what was carried that overlap are all there, in their order', async () => {
  const store = await place.open();
  const changes = [5, 6, 7].flatMap((amount) => ['a', 'b'].map((source) => ({ source, amount })));
  await Promise.all(changes.map(({ source, amount }) => store.generations.carrySpending(source, toSums(1, amount))));
  expect(await spentIn(store)).toBe(14);
  await store.close();
  expect(await spentIn(await place.open())).toBe(14);
});

test('a damaged line of what was carried is reported, and the others count', async () => {
  const store = await place.open();
  await store.generations.carrySpending('a', toSums(1, 5));
  await store.generations.carrySpending('b', toSums(1, 7));
  await store.close();
  const text = await readFile(carriedPath(), 'utf8');
  await writeFile(carriedPath(), text.replace('"creditsNanoUsd":5', '"creditsNanoUsd":9'));
  const again = await place.open();
  expect(await spentIn(again)).toBe(7);
  expect(place.warnings).toEqual([expect.stringContaining('A log file was damaged')]);
});
