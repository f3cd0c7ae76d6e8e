import { expect, test } from 'vitest';

import { toContent } from '../../../../../test/support/stores/generation-records.ts';
import { DAY_MS, append, listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();

test('each day has its own pair of files, also when it begins while the store is open', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  place.nowMs += DAY_MS;
  // The batch that notices the new day still goes to the old files; those that follow do not.
  await append(store, 'gen-2');
  await append(store, 'gen-3');
  await store.close();
  expect(await place.logs()).toEqual([
    'content-2026-03-01.ndjson',
    'content-2026-03-02.ndjson',
    'generations-2026-03-01.ndjson',
    'generations-2026-03-02.ndjson',
  ]);
  const again = await place.open();
  expect(await listIds(again)).toEqual(['gen-3', 'gen-2', 'gen-1']);
  for (const id of await listIds(again)) expect(await again.generations.getContent(id)).toEqual(toContent(id));
});

test('when the files of a new day cannot be opened, those of the old one stay in use', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  place.nowMs += DAY_MS;
  place.files.failAll('open', { code: 'EMFILE' });
  const told = place.nextMessage();
  for (const id of ['gen-2', 'gen-3']) await append(store, id);
  await told;
  place.files.heal();
  place.nowMs += 5_000;
  for (const id of ['gen-4', 'gen-5']) await append(store, id);
  await store.close();
  expect(place.warnings).toEqual(['No new log files can be opened; the old ones stay in use']);
  expect(await listIds(await place.open())).toEqual(['gen-5', 'gen-4', 'gen-3', 'gen-2', 'gen-1']);
});

test('a clock set back loses nothing and mixes nothing up', async () => {
  await place.fillDays(3);
  place.nowMs -= 2 * DAY_MS;
  const store = await place.open();
  await append(store, 'back');
  await store.close();
  expect(await listIds(await place.open())).toEqual(['back', 'day-3', 'day-2', 'day-1']);
});

test('while the names of new files are not durable nothing is acknowledged', async () => {
  const store = await place.open();
  place.nowMs += DAY_MS;
  let count = 0;
  const isRolled = async (): Promise<boolean> =>
    (await place.logs()).includes('generations-2026-03-02.ndjson') &&
    (await place.readLog('generations-2026-03-02.ndjson')).includes('gen-');
  while (!(await isRolled())) await append(store, `gen-${(count += 1)}`);
  // Only directories are opened from here on.
  place.files.failAll('open', { code: 'EIO' });
  const told = place.nextMessage();
  place.timers.fire(1_000);
  expect(await told).toBe('The disk refused to keep generations; no more are accepted until it takes them');
  await expect(append(store, 'last')).rejects.toThrow('EIO');
  place.files.heal();
  await append(store, 'last');
});
