import { readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { toContent, toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { append, DAY_MS, listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';
import { toLine } from '../log/record-line.ts';

const place = useJsonFilePlace();

test('content is found although a tool has converted the line ends of the log', async () => {
  const store = await place.open();
  for (const id of ['gen-1', 'gen-2', 'gen-3']) await append(store, id);
  await store.close();
  for (const name of await place.logs()) {
    await writeFile(join(place.dir, 'logs', name), (await place.readLog(name)).replaceAll('\n', '\r\n'));
  }
  const again = await place.open();
  for (const id of ['gen-3', 'gen-2', 'gen-1']) expect(await again.generations.getContent(id)).toEqual(toContent(id));
  expect(place.warnings).toEqual(['A content log does not hold what it should where it should; it is searched once']);
});

test('content that a crash of the machine took is reported once, and what comes later is not taken for it', async () => {
  const store = await place.open();
  for (const id of ['gen-1', 'gen-2']) await append(store, id, 'same length');
  await store.close();
  const path = join(place.dir, 'logs', 'content-2026-03-01.ndjson');
  const bytes = await readFile(path);
  // Same state as after a crash of the machine: the end is missing, and later lines take its place.
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  const again = await place.open();
  expect(place.warnings.at(-1)).toBe('Content that was being written in a crash is lost');
  await append(again, 'gen-3', 'same length');
  await again.close();
  place.warnings = [];
  const third = await place.open();
  expect(await third.generations.getContent('gen-2')).toBeUndefined();
  expect(await third.generations.getContent('gen-1')).toEqual(toContent('same length'));
  expect(await third.generations.getContent('gen-3')).toEqual(toContent('same length'));
  expect(place.warnings).toEqual([]);
});

test('content that was changed on disk is not shown, and never another one in its place', async () => {
  const store = await place.open();
  for (const id of ['gen-1', 'gen-2']) await append(store, id, 'same length');
  await store.close();
  const path = join(place.dir, 'logs', 'content-2026-03-01.ndjson');
  const [one = '', two = ''] = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, [one.replace('Answer', 'ANSWER'), one, ''].join('\n'));
  const again = await place.open();
  expect(two).toHaveLength(one.length);
  expect(await again.generations.getContent('gen-2')).toBeUndefined();
  expect(await again.generations.getContent('gen-1')).toEqual(toContent('same length'));
});

test('a reference that leads out of its day is not followed', async () => {
  await (await place.open()).close();
  const record = JSON.stringify(toRecord('gen-1').generation);
  const line = (file: string, length: number): Buffer =>
    toLine(
      `{"type":"generation","content":{"file":"${file}","offset":0,"length":${length}},"id":"gen-1","principalId":"p","costNanoUsd":0,"generation":${record}}`,
    );
  // Just what the line would have to be, only elsewhere.
  const content = toLine(JSON.stringify({ id: 'gen-1', content: toContent('elsewhere') }));
  await writeFile(join(place.dir, 'elsewhere.ndjson'), content);
  const path = join(place.dir, 'logs', 'generations-2026-03-01.ndjson');
  await writeFile(path, line('../elsewhere.ndjson', content.length - 1));
  const store = await place.open();
  expect(await store.generations.get('gen-1')).toBeDefined();
  expect(await store.generations.getContent('gen-1')).toBeUndefined();
});

test('a generation counts for the day on which it began, after a restart, too, whether or not its line names the day', async () => {
  const store = await place.open();
  const began = (createdAt: string) => ({ generation: { created_at: createdAt } });
  await store.generations.append(toRecord('gen-1', { costNanoUsd: 1, ...began('2026-02-28T23:59:59.000Z') }), null);
  await store.generations.append(toRecord('gen-2', { costNanoUsd: 10, ...began('2026-03-01T00:00:01.000Z') }), null);
  await store.close();
  const again = await place.open();
  const since = async (day?: string) =>
    (await again.generations.spent({ principalId: 'key-1', since: day })).creditsNanoUsd;
  expect(await since('2026-02-28')).toBe(11);
  expect(await since('2026-03-01')).toBe(10);
  const lines = (await place.readLog('generations-2026-03-01.ndjson'))
    .split('\n')
    .filter((line) => line.includes('gen-'));
  expect(lines.map((line) => /"day":"([^"]*)"/.exec(line)?.[1])).toEqual(['2026-02-28', undefined]);
});

test('content that was written but never acknowledged is removed', async () => {
  await (await place.open()).close();
  const path = join(place.dir, 'logs', 'content-2026-03-01.ndjson');
  await writeFile(path, toLine('{"id":"gen-x","content":{"text":"never acknowledged"}}'));
  await (await place.open()).close();
  expect(await place.readAllLogs()).not.toContain('never acknowledged');
});

test('a later version is kept when damage has taken the first, without its content', async () => {
  const store = await place.open();
  await append(store, 'gen-1');
  await store.generations.update(toRecord('gen-1', { costNanoUsd: 5 }));
  await store.close();
  const path = join(place.dir, 'logs', 'generations-2026-03-01.ndjson');
  const lines = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, [lines[0], lines[1]?.replace('acme', 'ACME'), lines[2], ''].join('\n'));
  const again = await place.open();
  expect(await again.generations.get('gen-1')).toEqual(toRecord('gen-1', { costNanoUsd: 5 }));
  expect(await again.generations.getContent('gen-1')).toBeUndefined();
  expect(await again.generations.spentNanoUsd('key-1')).toBe(5);
});

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
