import { readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { toContent } from '../../../../../test/support/stores/generation-records.ts';
import { append, DAY_MS, listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';

const place = useJsonFilePlace();

const METADATA = 'generations-2026-03-01.ndjson';
const CONTENT = 'content-2026-03-01.ndjson';
const REPORT =
  'A log of generations is empty beside the contents of its day; the contents are kept, what was said about them is lost';
const TORN = 'The last line of a log was cut short, as by a crash while writing; it was removed';

/** Stores one generation, then lets something empty the log of its day. */
async function storeAndEmpty(empty: (path: string) => Promise<void>): Promise<Buffer> {
  const store = await place.open();
  await append(store, 'gen-1');
  await store.close();
  await empty(join(place.dir, 'logs', METADATA));
  return readFile(join(place.dir, 'logs', CONTENT));
}

test.each([
  ['has 0 bytes', (path: string) => truncate(path, 0), [REPORT]],
  ['has no line but empty ones', (path: string) => writeFile(path, '\n\r\n'), [REPORT]],
  ['was cut within its first line', (path: string) => truncate(path, 20), [TORN, REPORT]],
])(
  '181: a log of generations that %s, beside contents, is reported, and the contents are kept',
  async (_, empty, reports) => {
    const contents = await storeAndEmpty(empty);
    const store = await place.open();
    expect(place.warnings).toEqual(reports);
    expect(await listIds(store)).toEqual([]);
    expect(await place.logs()).toEqual([CONTENT, METADATA, expect.stringMatching(`${METADATA}.corrupt-2026-03-01T10`)]);
    expect(await readFile(join(place.dir, 'logs', CONTENT))).toEqual(contents);
  },
);

test('181: it is reported once, and what comes later is stored as ever', async () => {
  const contents = await storeAndEmpty((path) => truncate(path, 0));
  const store = await place.open();
  await append(store, 'gen-2');
  await store.close();
  place.warnings = [];
  for (const now of [place.nowMs, place.nowMs + DAY_MS]) {
    place.nowMs = now;
    const again = await place.open();
    expect(await listIds(again)).toEqual(['gen-2']);
    expect(await again.generations.getContent('gen-2')).toEqual(toContent('gen-2'));
    expect((await readFile(join(place.dir, 'logs', CONTENT))).subarray(0, contents.length)).toEqual(contents);
    await again.close();
  }
  expect(place.warnings).toEqual([]);
});

test('181: an empty log of a former day is reported, too, and goes with its contents when they are too old', async () => {
  await storeAndEmpty((path) => truncate(path, 0));
  place.nowMs += 2 * DAY_MS;
  await (await place.open({ trustsClock: true })).close();
  expect(place.warnings).toEqual([REPORT]);
  place.nowMs += 40 * DAY_MS;
  const store = await place.open({ trustsClock: true });
  await append(store, 'gen-late');
  await store.close();
  expect((await place.logs()).filter((name) => name.includes('2026-03-01'))).toEqual([]);
});

test('181: a log that is missing beside contents is reported at each start until it is back', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  await store.close();
  place.nowMs += DAY_MS;
  const path = join(place.dir, 'logs', METADATA);
  await rename(path, join(place.root, METADATA));
  for (let start = 1; start <= 2; start += 1) {
    place.warnings = [];
    await (await place.open()).close();
    expect(place.warnings).toEqual([
      'Contents have no log of generations beside them; they are kept until they are too old',
    ]);
  }
  await rename(join(place.root, METADATA), path);
  place.warnings = [];
  const again = await place.open();
  expect(await again.generations.getContent('gen-1')).toEqual(toContent('gen-1'));
  expect(place.warnings).toEqual([]);
});

test('181: an empty log without contents is no damage: a crash may leave one of a start', async () => {
  await (await place.open()).close();
  const path = join(place.dir, 'logs', METADATA);
  await truncate(path, 0);
  const store = await place.open();
  await append(store, 'gen-1');
  expect(place.warnings).toEqual([]);
  expect((await stat(path)).size).toBeGreaterThan(0);
  expect((await place.readLog(METADATA)).split('\n')[0]).toContain('"segment"');
});
