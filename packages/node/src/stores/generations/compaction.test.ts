import { join } from 'node:path';

import { expect, test } from 'vitest';

import { createFaultyFileSystem } from '../../../../../test/support/stores/faulty-file-system.ts';
import { toContent, toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { append, listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();

test('deleted content is gone from the disk after the next start, everything else is as it was', async () => {
  const store = await place.open();
  for (const id of ['keep-1', 'drop-1', 'keep-2']) await append(store, id, `text of ${id}`);
  await store.generations.update(toRecord('keep-2', { costNanoUsd: 3 }));
  await store.generations.deleteContent('drop-1');
  expect(await place.readAllLogs()).toContain('text of drop-1');
  await store.close();

  for (const round of [1, 2]) {
    const again = await place.open();
    expect(await place.readAllLogs(), `round ${round}`).not.toContain('text of drop-1');
    expect((await listIds(again)).slice(-3)).toEqual(['keep-2', 'drop-1', 'keep-1']);
    expect(await again.generations.getContent('keep-1')).toEqual(toContent('text of keep-1'));
    expect(await again.generations.getContent('keep-2')).toEqual(toContent('text of keep-2'));
    expect(await again.generations.getContent('drop-1')).toBeUndefined();
    expect(await again.generations.spentNanoUsd('key-1')).toBe(1_003 + round * 1_000);
    // The day goes on after it was written again.
    await append(again, `round-${round}`);
    await again.generations.deleteContent(`round-${round}`);
    await again.close();
  }
  expect(place.warnings).toEqual([]);
});

test('when all content of a day was deleted its file holds none', async () => {
  const store = await place.open();
  await append(store, 'gen-1', 'secret');
  await store.generations.deleteContent('gen-1');
  await store.close();
  await (await place.open()).close();
  expect(await place.readAllLogs()).not.toContain('secret');
});

test('content of an earlier day that is deleted today goes as well', async () => {
  await place.fillDays(2);
  const store = await place.open();
  await store.generations.deleteContent('day-1');
  await store.close();
  const again = await place.open();
  expect(await place.readAllLogs()).not.toContain('Question: day-1');
  expect(await again.generations.getContent('day-2')).toEqual(toContent('day-2'));
});

test('a machine that stops at any call while compacting keeps all that was kept, and the next start ends it', async () => {
  const prepare = async (name: string): Promise<void> => {
    [place.dir, place.files] = [join(place.root, name), createFaultyFileSystem()];
    const store = await place.open();
    for (const id of ['keep-1', 'drop-1', 'keep-2']) await append(store, id, `text of ${id}`);
    await store.generations.deleteContent('drop-1');
    await store.close();
  };
  await prepare('counted');
  place.files = createFaultyFileSystem();
  await (await place.open()).close();
  const calls = place.files.calls;
  for (let nth = 1; nth <= calls; nth += 1) {
    await prepare(`${nth}`);
    place.files.failFrom(nth, { code: 'EIO', writtenBytes: 30 });
    const store = await place.open().catch(() => undefined);
    await store?.close().catch(() => undefined);
    place.files.heal();
    const again = await place.open();
    for (const id of ['keep-1', 'keep-2']) {
      expect(await again.generations.getContent(id), `call ${nth}`).toEqual(toContent(`text of ${id}`));
    }
    expect(await again.generations.getContent('drop-1'), `call ${nth}`).toBeUndefined();
    await append(again, 'later');
    expect(await again.generations.getContent('later'), `call ${nth}`).toEqual(toContent('later'));
    await again.close();
    expect(await place.readAllLogs(), `call ${nth}`).not.toContain('text of drop-1');
  }
});

test('a compaction that fails is only put off', async () => {
  const store = await place.open();
  for (const id of ['keep', 'drop']) await append(store, id);
  await store.generations.deleteContent('drop');
  await store.close();
  place.files.failNth(1, { code: 'ENOSPC' }, 'rename');
  const again = await place.open();
  expect(place.warnings).toEqual([
    'Deleted content could not be removed from the disk yet; the next start tries again',
  ]);
  expect(await again.generations.getContent('keep')).toEqual(toContent('keep'));
  await append(again, 'later');
  await again.close();
  const last = await place.open();
  for (const id of ['keep', 'later']) expect(await last.generations.getContent(id)).toEqual(toContent(id));
  expect(await place.readAllLogs()).not.toContain('Question: drop');
});
