import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import type { EntryVersion, NewEntry } from './generation-entry.ts';
import { createGenerationIndex } from './generation-index.ts';
import { toGenerationText } from './generation-lines.ts';

function toVersion(day: string): EntryVersion {
  const { generation, principalId } = toRecord('gen-1', { generation: { created_at: `${day}T12:00:00.000Z` } });
  return {
    principalId,
    userId: undefined,
    workspaceId: undefined,
    costNanoUsd: 10,
    day,
    isByok: false,
    text: toGenerationText(generation),
  };
}

const toEntry = (id: string, day: string): NewEntry => ({
  id,
  segment: day,
  version: toVersion(day),
  content: null,
});

test('what retention removes is taken out of the sums, and what stays is counted once', async () => {
  const index = createGenerationIndex();
  const read = async (): Promise<unknown[]> =>
    (await index.queries.activity({ since: '2026-03-01' })).map(({ date, requests }) => [date, requests]);
  for (const [id, day] of [
    ['g1', '2026-03-01'],
    ['g2', '2026-03-02'],
    ['g3', '2026-03-02'],
  ] as const) {
    index.add(toEntry(id, day));
  }
  expect(await read()).toEqual([
    ['2026-03-02', 2],
    ['2026-03-01', 1],
  ]);
  index.removeThrough('2026-03-01');
  expect(await read()).toEqual([['2026-03-02', 2]]);
});

test('what retention removes while it is being added up is not told', async () => {
  const index = createGenerationIndex();
  for (let at = 0; at < 1200; at += 1) index.add(toEntry(`old-${at}`, '2026-03-01'));
  for (let at = 0; at < 1200; at += 1) index.add(toEntry(`new-${at}`, '2026-03-02'));
  const reading = index.queries.activity({ since: '2026-03-01' });
  index.removeThrough('2026-03-01');
  expect((await reading).map(({ date, requests }) => [date, requests])).toEqual([['2026-03-02', 1200]]);
});

test('what is changed while it is being added up is counted by its last version', async () => {
  const index = createGenerationIndex();
  for (let at = 0; at < 1200; at += 1) index.add(toEntry(`g${at}`, '2026-03-01'));
  const reading = index.queries.activity({ since: '2026-03-01' });
  for (const id of ['g0', 'g1199']) {
    const entry = index.find(id);
    if (entry !== undefined) index.replace(entry, toVersion('2026-03-02'));
  }
  expect(new Map((await reading).map(({ date, requests }) => [date, requests]))).toEqual(
    new Map([
      ['2026-03-01', 1198],
      ['2026-03-02', 2],
    ]),
  );
});

test('sums of a longer and of a shorter time that are asked for at once are each whole', async () => {
  const index = createGenerationIndex();
  for (let at = 0; at < 1200; at += 1) index.add(toEntry(`old-${at}`, '2026-01-01'));
  for (let at = 0; at < 1200; at += 1) index.add(toEntry(`new-${at}`, '2026-02-01'));
  const read = async (since: string): Promise<unknown[]> =>
    (await index.queries.activity({ since })).map(({ date, requests }) => [date, requests]);
  const [older, newer] = [
    ['2026-01-01', 1200],
    ['2026-02-01', 1200],
  ];
  const spans = ['2026-01-01', '2026-01-31', '2026-01-01', '2026-02-01'];
  const whole = spans.map((since) => (since === '2026-01-01' ? [newer, older] : [newer]));
  expect(await Promise.all(spans.map(read))).toEqual(whole);
  expect(await Promise.all(spans.toReversed().map(read))).toEqual(whole.toReversed());
});
