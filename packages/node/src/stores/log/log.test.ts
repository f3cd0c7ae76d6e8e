import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { toContent, toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();

test('what arrives while a write is under way goes out together in the next', async () => {
  const store = await place.open();
  const writesFor = async (count: number): Promise<number> => {
    const before = place.files.calls;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        store.generations.append(toRecord(`${count}-${index}`), toContent('x')),
      ),
    );
    return place.files.calls - before;
  };
  expect(await writesFor(1)).toBe(2);
  expect(await writesFor(200)).toBe(2);
});

test('long contents that arrive together are written a few at a time', async () => {
  const lengths: number[] = [];
  const { write } = place.files;
  Object.assign(place.files, {
    write: (...given: Parameters<typeof write>) => {
      lengths.push(given[3]);
      return write(...given);
    },
  });
  const store = await place.open();
  const text = 'x'.repeat(500_000);
  const ids = Array.from({ length: 40 }, (_, index) => `gen-${index}`);
  await Promise.all(ids.map((id) => store.generations.append(toRecord(id), toContent(id + text))));
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(40 * text.length);
  expect(Math.max(...lengths)).toBeLessThan(3_500_000);
  await store.close();
  const reopened = await place.open();
  expect((await listIds(reopened)).toSorted()).toEqual(ids.toSorted());
  expect(await reopened.generations.getContent('gen-39')).toEqual(toContent(`gen-39${text}`));
});

test('a record is synced within a second of its acknowledgement, and only if there is one', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  const before = place.files.calls;
  place.timers.fire(1_000);
  await store.close();
  // Two syncs, and ten closes with those of the rows' logs: nothing was left to be synced by closing.
  expect(place.files.calls - before).toBe(12);
});

test('writes that take a few bytes at a time lose nothing', async () => {
  const store = await place.open();
  place.files.failAll('write', { writtenBytes: 100 });
  await store.generations.append(toRecord('gen-1'), toContent('x'.repeat(2_000)));
  place.files.heal();
  await store.close();
  expect(await (await place.open()).generations.getContent('gen-1')).toEqual(toContent('x'.repeat(2_000)));
});

test.each([1, 2])('when write %d of a batch fails, all of it is refused, and the next batch is whole', async (nth) => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  place.files.failNth(nth, { code: 'ENOSPC', writtenBytes: 50 }, 'write');
  const refused = await Promise.allSettled([
    store.generations.append(toRecord('gen-2'), toContent('two')),
    store.generations.append(toRecord('gen-3'), toContent('three')),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await store.generations.get('gen-2')).toBeUndefined();
  expect(await store.generations.spentNanoUsd('key-1')).toBe(1_000);
  await store.generations.append(toRecord('gen-2'), toContent('two, again'));
  expect(await store.generations.getContent('gen-2')).toEqual(toContent('two, again'));
  await store.close();

  const reopened = await place.open();
  expect(await listIds(reopened)).toEqual(['gen-2', 'gen-1']);
  expect(await reopened.generations.getContent('gen-2')).toEqual(toContent('two, again'));
  expect(place.warnings).toEqual([]);
});

/** Has stores opened from now on tell of their writes: the function returned begins something during the next one. */
function watchWrites(): (begin: () => Promise<void>) => Promise<void> {
  let onWrite = (): void => undefined;
  const { write } = place.files;
  Object.assign(place.files, {
    write: (...given: Parameters<typeof write>) => {
      onWrite();
      return write(...given);
    },
  });
  return (begin) =>
    new Promise((resolve, reject) => {
      onWrite = () => {
        onWrite = () => undefined;
        begin().then(resolve, reject);
      };
    });
}

test('a batch that is gathered while another is being written knows where it will stand', async () => {
  const atNextWrite = watchWrites();
  const store = await place.open();
  const second = atNextWrite(() => store.generations.append(toRecord('gen-2'), toContent('two')));
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  await second;
  expect(await store.generations.getContent('gen-1')).toEqual(toContent('one'));
  expect(await store.generations.getContent('gen-2')).toEqual(toContent('two'));
  // Else they were found by searching.
  expect(place.warnings).toEqual([]);
});

test('what was gathered behind a batch that fails is written all the same, and stands where it says', async () => {
  const atNextWrite = watchWrites();
  const store = await place.open();
  place.files.failNth(1, { code: 'ENOSPC', writtenBytes: 50 }, 'write');
  const second = atNextWrite(() => store.generations.append(toRecord('gen-2'), toContent('two')));
  const first = store.generations.append(toRecord('gen-1'), toContent('one'));
  const outcomes = await Promise.allSettled([first, second]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await store.generations.getContent('gen-2')).toEqual(toContent('two'));
  for (const id of ['gen-3', 'gen-1']) {
    await store.generations.append(toRecord(id), toContent(`again ${id}`));
    expect(await store.generations.getContent(id)).toEqual(toContent(`again ${id}`));
  }
  await store.close();
  const reopened = await place.open();
  expect(await listIds(reopened)).toEqual(['gen-1', 'gen-3', 'gen-2']);
  expect(await reopened.generations.getContent('gen-2')).toEqual(toContent('two'));
  expect(place.warnings).toEqual([]);
});

test('a torn line that cannot be cut off at once is cut off before the next write', async () => {
  const store = await place.open();
  place.files.failAll('write', { code: 'ENOSPC', writtenBytes: 300 });
  place.files.failAll('truncate', { code: 'EIO' });
  await expect(store.generations.append(toRecord('gen-1'), toContent('x'.repeat(900)))).rejects.toThrow('ENOSPC');
  place.files.heal();
  place.files.failAll('truncate', { code: 'EIO' });
  await expect(store.generations.append(toRecord('gen-1'), toContent('short'))).rejects.toThrow('EIO');
  place.files.heal();
  await store.generations.append(toRecord('gen-1'), toContent('short'));
  await store.close();
  const reopened = await place.open();
  expect(await reopened.generations.getContent('gen-1')).toEqual(toContent('short'));
  expect(place.warnings).toEqual([]);
});

test('while the disk is full every append is refused, reading goes on, and it recovers by itself', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  place.files.failAll('write', { code: 'ENOSPC' });
  for (const id of ['gen-2', 'gen-3']) {
    await expect(store.generations.append(toRecord(id), null)).rejects.toThrow('ENOSPC');
    expect(await store.generations.getContent('gen-1')).toEqual(toContent('one'));
  }
  place.files.heal();
  await store.generations.append(toRecord('gen-4'), null);
  expect(await listIds(store)).toEqual(['gen-4', 'gen-1']);
});

test('after a failed sync nothing is acknowledged until the disk has taken what it had lost', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), toContent('one'));
  place.files.failAll('sync', { code: 'EIO' });
  const told = place.nextMessage();
  place.timers.fire(1_000);
  expect(await told).toBe('The disk refused to keep generations; no more are accepted until it takes them');
  await expect(store.generations.append(toRecord('gen-2'), null)).rejects.toThrow('EIO');
  await expect(store.generations.append(toRecord('gen-2'), null)).rejects.toThrow('EIO');
  place.files.heal();
  const before = place.files.calls;
  await store.generations.append(toRecord('gen-2'), null);
  // Both files are written once more, not merely synced once more; the fifth call writes the new record.
  expect(place.files.calls - before).toBe(5);
  expect(await listIds(store)).toEqual(['gen-2', 'gen-1']);
});

test('after a failed sync that did lose something nothing is acknowledged any more', async () => {
  const store = await place.open();
  await store.generations.append(toRecord('gen-1'), null);
  place.files.failNth(1, { code: 'EIO' }, 'sync');
  const told = place.nextMessage();
  place.timers.fire(1_000);
  await told;
  const path = join(place.dir, 'logs', 'generations-2026-03-01.ndjson');
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, bytes.length - 100));
  await expect(store.generations.append(toRecord('gen-2'), null)).rejects.toThrow(
    /has lost what was written after byte/,
  );
  await expect(store.close()).rejects.toThrow(/has lost what was written/);
});

test('nothing is accepted after close', async () => {
  const store = await place.open();
  await store.close();
  await expect(store.generations.append(toRecord('gen-1'), null)).rejects.toThrow('The store is closed');
});

test('a record that JSON cannot hold is refused without harm to others', async () => {
  const store = await place.open();
  const circular: unknown[] = [];
  circular.push(circular);
  const content = { ...toContent('x'), input: { messages: circular } };
  await expect(store.generations.append(toRecord('gen-1'), content)).rejects.toThrow(/circular/);
  await expect(store.generations.append(toRecord('gen-1', { costNanoUsd: 0.5 }), null)).rejects.toThrow(/safe integer/);
  const together = await Promise.allSettled([
    store.generations.append(toRecord('gen-2'), toContent('before')),
    store.generations.append(toRecord('gen-1'), content),
    store.generations.append(toRecord('gen-3'), toContent('behind')),
  ]);
  expect(together.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await store.generations.getContent('gen-3')).toEqual(toContent('behind'));
  await store.generations.append(toRecord('gen-1'), toContent('good'));
  expect(await store.generations.getContent('gen-1')).toEqual(toContent('good'));
});
