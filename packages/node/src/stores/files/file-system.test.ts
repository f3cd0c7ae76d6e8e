import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { append, DAY_MS, listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';
import { toGuardrail } from '../../../../../test/support/stores/table-rows.ts';

const place = useJsonFilePlace();

const MOVED = /was moved or removed while it is in use/;

test('a store whose directory was moved away writes nothing into the one that has its path now', async () => {
  const first = await place.open();
  await append(first, 'gen-1');
  await rename(place.dir, `${place.dir}-moved`);
  const second = await place.open();
  const before = [await place.logs(), await readFile(join(place.dir, 'config.json'), 'utf8')];

  await expect(first.guardrails.insert(toGuardrail('rule-1'))).rejects.toThrow(MOVED);
  await expect(first.generations.noteRunning?.([])).rejects.toThrow(MOVED);
  // The log of the next day cannot be made here; the one that is open takes the record.
  place.nowMs += DAY_MS;
  await append(first, 'gen-2');
  await first.close();

  expect([await place.logs(), await readFile(join(place.dir, 'config.json'), 'utf8')]).toEqual(before);
  expect(await listIds(second)).toEqual([]);
  await second.close();
});

test('a store whose directory was moved away still records into it for as long as its files are open', async () => {
  const store = await place.open();
  await rename(place.dir, `${place.dir}-moved`);
  await append(store, 'gen-1');
  await store.close();
  await rename(`${place.dir}-moved`, place.dir);
  expect(await listIds(await place.open())).toEqual(['gen-1']);
});

test('a store whose directory was removed acknowledges no change of its tables', async () => {
  const store = await place.open();
  await rename(place.dir, `${place.dir}-moved`);
  await expect(store.guardrails.insert(toGuardrail('rule-1'))).rejects.toThrow(MOVED);
  await mkdir(place.dir);
  await expect(store.guardrails.insert(toGuardrail('rule-1'))).rejects.toThrow(MOVED);
  expect(await readdir(place.dir)).toEqual([]);
});
