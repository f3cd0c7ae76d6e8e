import { appendFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunningCall } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { listIds, useJsonFilePlace } from '../../../../../test/support/stores/json-file-place.ts';
import { toLine } from '../log/record-line.ts';
import { openRunningLog } from './running-log.ts';

const place = useJsonFilePlace();
const path = (): string => join(place.dir, 'running.ndjson');

const RECORD = { generation: { finish_reason: 'error' }, costNanoUsd: 0 };

function toCall(id: string, completionTokens: number, record = toRecord(id, RECORD)): RunningCall {
  const costNanoUsd = completionTokens * 2000;
  return {
    record,
    figures: {
      promptTokens: 5,
      completionTokens,
      costUsd: costNanoUsd / 1e9,
      costNanoUsd,
      costKnown: true,
      durationMs: 1000 * completionTokens,
    },
  };
}

test('224: what was noted last and never recorded is recorded as interrupted at the next start, exactly once', async () => {
  const first = await place.open();
  const [one, two] = [toCall('gen-1', 3), toCall('gen-2', 4)];
  await first.generations.noteRunning?.([one, two]);
  await first.generations.noteRunning?.([toCall('gen-1', 7, one.record), toCall('gen-2', 9, two.record)]);
  // It ended after the last note.
  await first.generations.append(toRecord('gen-2'), null);
  await first.close();
  for (const round of [1, 2]) {
    const store = await place.open();
    expect(await listIds(store), `round ${round}`).toEqual(['gen-1', 'gen-2']);
    expect(await store.generations.get('gen-1')).toMatchObject({
      costNanoUsd: 14_000,
      generation: {
        interrupted: true,
        finish_reason: 'error',
        tokens_prompt: 5,
        tokens_completion: 7,
        total_cost: 0.000014,
        usage_estimated: true,
        generation_time: 7000,
      },
    });
    expect((await store.generations.get('gen-2'))?.generation.interrupted).toBeUndefined();
    expect(await store.generations.spentNanoUsd('key-1')).toBe(15_000);
    const facets = await store.generations.facets({});
    expect([...facets.statuses]).toEqual([
      ['interrupted', 1],
      ['ok', 1],
    ]);
    await store.close();
  }
  expect(place.warnings).toEqual([expect.stringContaining('Streams were cut by the end of the last process')]);
});

test('a start that dies after the record and before the notes are removed records nothing twice', async () => {
  const first = await place.open();
  await first.generations.noteRunning?.([toCall('gen-1', 3)]);
  await first.close();
  const notes = await readFile(path());
  await (await place.open()).close();
  await appendFile(path(), notes);
  const store = await place.open();
  expect(await listIds(store)).toEqual(['gen-1']);
  expect(await store.generations.spentNanoUsd('key-1')).toBe(6000);
});

test('a note that a crash has cut short leaves the one before it', async () => {
  const first = await place.open();
  const call = toCall('gen-1', 3);
  await first.generations.noteRunning?.([call]);
  const whole = await readFile(path());
  await first.generations.noteRunning?.([toCall('gen-1', 8, call.record)]);
  await first.close();
  const both = await readFile(path());
  await place.files.truncate(await openForTruncation(), whole.length + Math.floor((both.length - whole.length) / 2));
  const store = await place.open();
  expect((await store.generations.get('gen-1'))?.generation.tokens_completion).toBe(3);
});

const openForTruncation = (): Promise<number> => place.files.open(path(), 2);

test('has no file while nothing is noted', async () => {
  const store = await place.open();
  expect(await readdir(place.dir)).not.toContain('running.ndjson');
  await store.generations.noteRunning?.([toCall('gen-1', 3)]);
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  await store.generations.noteRunning?.([]);
  expect(await readdir(place.dir)).not.toContain('running.ndjson');
});

test('writes what it knows of a call once, and begins a new file before it is long', async () => {
  const store = await place.open();
  const calls = Array.from({ length: 300 }, (_, index) => toCall(`gen-${index}`, 1));
  const sizes: number[] = [];
  for (let second = 1; second <= 200; second += 1) {
    await store.generations.noteRunning?.(calls.map(({ record }) => toCall(record.generation.id, second, record)));
    sizes.push((await stat(path())).size);
  }
  expect((sizes[1] ?? 0) - (sizes[0] ?? 0)).toBeLessThan((sizes[0] ?? 0) / 4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(sizes.some((size, index) => size < (sizes[index - 1] ?? 0))).toBe(true);
  await store.close();
  const again = await place.open();
  expect((await again.generations.get('gen-299'))?.generation.tokens_completion).toBe(200);
});

test('a disk that takes no note leaves the last good one, and takes the next', async () => {
  const first = await place.open();
  const call = toCall('gen-1', 3);
  await first.generations.noteRunning?.([call]);
  place.files.failFrom(1, { code: 'ENOSPC', writtenBytes: 20 });
  await expect(first.generations.noteRunning?.([toCall('gen-1', 5, call.record)])).rejects.toThrow('ENOSPC');
  place.files.heal();
  await first.generations.noteRunning?.([toCall('gen-1', 6, call.record)]);
  await first.close();
  const store = await place.open();
  expect((await store.generations.get('gen-1'))?.generation.tokens_completion).toBe(6);
  expect(place.warnings).toHaveLength(1);
});

const { record: RECORD_1, figures: FIGURES } = toCall('gen-1', 3);

test.each([
  ['without calls', { streams: [] }],
  ['that is no object', 5],
  ['with something else than a list of calls', { calls: 'gen-1' }],
  ['with an empty call', { calls: [null] }],
  ['without figures', { calls: [{ id: 'gen-1', record: RECORD_1 }] }],
  [
    'with figures that are no numbers',
    { calls: [{ id: 'gen-1', record: RECORD_1, figures: { ...FIGURES, costNanoUsd: '1' } }] },
  ],
  ['with a record that is none', { calls: [{ id: 'gen-1', record: {}, figures: FIGURES }] }],
])(
  'a note of another version, %s, does not stop the start: it is set aside, and the last good one counts',
  async (_, note) => {
    const first = await place.open();
    await first.generations.noteRunning?.([toCall('gen-2', 4)]);
    await first.close();
    await appendFile(path(), toLine(JSON.stringify(note)));
    for (const round of [1, 2]) {
      const store = await place.open();
      expect(await listIds(store), `round ${round}`).toEqual(['gen-2']);
      await store.close();
    }
    expect((await readdir(place.dir)).filter((name) => name.startsWith('running'))).toEqual([
      expect.stringContaining('running.ndjson.corrupt-'),
    ]);
    expect(place.warnings).toEqual([
      expect.stringContaining('Notes of streams under way cannot be read'),
      expect.stringContaining('Streams were cut by the end of the last process'),
    ]);
  },
);

test('the end waits for a note that is being taken, and its file is closed', async () => {
  await mkdir(place.dir);
  const { files } = place;
  const log = await openRunningLog({ files, path: path(), logger: undefined, now: () => 0 });
  const before = files.names.length;
  const noted = log.note([toCall('gen-1', 3)]);
  await log.close();
  expect(files.names.slice(before)).toEqual(['open', 'write', 'close']);
  await noted;
  await expect(log.note([toCall('gen-1', 4)])).rejects.toThrow('The store is closed');
});
