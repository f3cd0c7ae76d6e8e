import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import type { EntryVersion, NewEntry } from './generation-entry.ts';
import { createGenerationIndex } from './generation-index.ts';
import { toGenerationText } from './generation-lines.ts';

function toEntry(
  id: string,
  segment: string,
  { content = null, ...more }: Partial<EntryVersion & Pick<NewEntry, 'content'>> = {},
): NewEntry {
  const { generation } = toRecord(id, { generation: { created_at: `${segment.slice(0, 10)}T12:00:00.000Z` } });
  const version = {
    principalId: 'key-1',
    userId: undefined,
    workspaceId: undefined,
    costNanoUsd: 10,
    day: segment.slice(0, 10),
    isByok: false,
    text: toGenerationText(generation),
    ...more,
  };
  return { id, segment, version, content };
}

test('an id is found in every segment, in whatever order ids have come', () => {
  const index = createGenerationIndex();
  const ids = ['m', 'z', 'a', 'mm', 'b', '~', 'y', 'aa'];
  for (const [at, id] of ids.entries()) index.add(toEntry(id, `2026-03-0${1 + (at % 3)}`));
  for (const id of ids) expect(index.find(id)?.id).toBe(id);
  for (const id of ['', 'c', 'n', '~~']) expect([id, index.find(id)]).toEqual([id, undefined]);
});

test('segments are in the order of their names, and so is what they hold', () => {
  const index = createGenerationIndex();
  for (const segment of ['2026-03-02.10', '2026-03-01', '2026-03-02.2', '2026-03-02']) {
    index.add(toEntry(`first of ${segment}`, segment));
    index.add(toEntry(`second of ${segment}`, segment));
  }
  const names = ['2026-03-01', '2026-03-02', '2026-03-02.2', '2026-03-02.10'];
  expect(index.segments.map(({ name, records }) => [name, records])).toEqual(names.map((name) => [name, 2]));
  const ids = names.flatMap((name) => [`first of ${name}`, `second of ${name}`]);
  expect([...index.entries()].map(({ id }) => id)).toEqual(ids);
  expect([...index.entries('2026-03-02.2')].map(({ id }) => id)).toEqual(ids.slice(4, 6));
});

test('a generation of a new day is found that was still written to the segment of the day before', async () => {
  const index = createGenerationIndex();
  const { generation } = toRecord('late', { generation: { created_at: '2026-03-02T00:00:01.000Z' } });
  index.add(toEntry('early', '2026-03-01'));
  index.add(toEntry('late', '2026-03-01', { day: '2026-03-02', text: toGenerationText(generation) }));
  const filter = { createdFromMs: Date.parse('2026-03-02T00:00:00.000Z') };
  expect(index.queries.page({ limit: 5, filter }).records.map((record) => record.generation.id)).toEqual(['late']);
  const query = { filter, startMs: filter.createdFromMs, bucketMs: 3_600_000, buckets: 1 };
  expect((await index.queries.histogram(query)).total.requests).toBe(1);
  expect((await index.queries.facets(filter)).total).toBe(1);
});

test('a generation is found by its day in a segment that stayed open for days', async () => {
  const index = createGenerationIndex();
  const { generation } = toRecord('late', { generation: { created_at: '2026-03-04T12:00:00.000Z' } });
  index.add(toEntry('early', '2026-03-01'));
  index.add(toEntry('late', '2026-03-01', { day: '2026-03-04', text: toGenerationText(generation) }));
  index.addSegment('2026-03-05');
  const filter = { createdFromMs: Date.parse('2026-03-04T00:00:00.000Z') };
  expect(index.queries.page({ limit: 5, filter }).records.map((record) => record.generation.id)).toEqual(['late']);
  const sorted = await index.queries.sorted({ limit: 5, sort: 'cost', order: 'desc', filter });
  expect(sorted.records.map((record) => record.generation.id)).toEqual(['late']);
});

test('pages go on across segments where the one before has ended', () => {
  const index = createGenerationIndex();
  const ids = Array.from({ length: 100 }, (_, at) => `g${at}`);
  for (const [at, id] of ids.entries()) index.add(toEntry(id, `2026-03-0${1 + Math.floor(at / 40)}`));
  const seen: string[] = [];
  for (let before: string | undefined; seen.length < 200;) {
    const { records, next } = index.queries.page({ limit: 7, ...(before !== undefined && { before }) });
    seen.push(...records.map(({ generation }) => generation.id));
    if (next === null) break;
    before = next;
  }
  expect(seen).toEqual(ids.toReversed());
  expect(index.queries.page({ limit: 7, before: 'gone' })).toEqual({ records: [], next: null });
});

test('an entry tells what its row has come to, even when its segment has been dropped', () => {
  const index = createGenerationIndex();
  const place = { file: 'content-2026-03-01.ndjson', offset: 5_000_000_000, length: 12 };
  index.add(toEntry('a', '2026-03-01', { content: place, userId: 'user-1', workspaceId: 'space-1', isByok: true }));
  const entry = index.find('a');
  if (entry === undefined) throw new Error('there is no entry');
  expect(entry.content).toEqual(place);
  expect(entry.origin).toEqual({
    principalId: 'key-1',
    userId: 'user-1',
    workspaceId: 'space-1',
    day: '2026-03-01',
    isByok: true,
  });
  expect(entry.readFacts()).toEqual(index.find('a')?.readFacts());

  entry.content = null;
  const { generation } = toRecord('a', { generation: { model: 'other/model' } });
  index.replace(entry, { ...entry.origin, costNanoUsd: 25, text: toGenerationText(generation) });
  expect([index.find('a')?.content, index.find('a')?.costNanoUsd]).toEqual([null, 25]);
  expect(index.find('a')?.readFacts().model).toBe('other/model');
  expect(index.spending.totalNanoUsd('key-1')).toBe(25);

  index.removeThrough('2026-03-01');
  expect([entry.id, entry.readRecord().generation.model, index.find('a')]).toEqual(['a', 'other/model', undefined]);
});

test('what is dropped adds up by who spent it, and stays in the sums of all', () => {
  const index = createGenerationIndex();
  for (let at = 0; at < 300; at += 1) {
    index.add(toEntry(`old-${at}`, '2026-03-01', { principalId: `key-${at % 3}`, isByok: at % 2 === 0 }));
  }
  index.add(toEntry('new', '2026-03-02'));
  const dropped = [...index.removeThrough('2026-03-01').entries()];
  expect(
    dropped.map(({ principalId, creditsNanoUsd, byokNanoUsd }) => [principalId, creditsNanoUsd, byokNanoUsd]),
  ).toEqual(['key-0', 'key-1', 'key-2'].map((key) => [key, 500, 500]));
  expect([index.size, index.spending.totalNanoUsd('key-1')]).toEqual([1, 1010]);
});

test('content is forgotten through a segment, and kept in newer ones', () => {
  const index = createGenerationIndex();
  const content = (segment: string) => ({ content: { file: `content-${segment}.ndjson`, offset: 0, length: 9 } });
  for (const segment of ['2026-03-01', '2026-03-02', '2026-03-03']) {
    index.add(toEntry(segment, segment, content(segment)));
  }
  index.removeContentThrough('2026-03-02');
  expect([...index.entries()].map((entry) => entry.content === null)).toEqual([true, true, false]);
  expect(index.segments.map(({ contentBytes }) => contentBytes)).toEqual([0, 0, 10]);
});

test('a page in another order than that of writing lets others have their turns, however many there are', async () => {
  const index = createGenerationIndex();
  for (let at = 0; at < 10_000; at += 1)
    index.add(toEntry(`g${at}`, '2026-03-01', { costNanoUsd: (at * 7919) % 10_000 }));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { records } = await index.queries.sorted({ limit: 3, sort: 'cost', order: 'desc' });
  isOver = true;
  expect(records.map(({ costNanoUsd }) => costNanoUsd)).toEqual([9999, 9998, 9997]);
  expect(turns).toBeGreaterThanOrEqual(4);
});
