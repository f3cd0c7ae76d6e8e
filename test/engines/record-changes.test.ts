import { createTurnsOf, type Store } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { narrowStore } from '../../packages/core/src/api/member-view.ts';
import { changeGeneration } from '../../packages/core/src/generations/change-generation.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { makeFolder, makeRecord, openStore, readWritten } from './support/generation-stores.ts';
import { openTwoStores } from './support/postgres-stores.ts';

const CHANGES = 15;

type MadeRecord = ReturnType<typeof makeRecord>;

/** Adds so many pieces of feedback at once, as a process with this store does. */
function addFeedback(store: Store, record: MadeRecord, name: string): readonly Promise<void>[] {
  const parts = { store, recordTurns: createTurnsOf() };
  return Array.from({ length: CHANGES }, (_, at) =>
    changeGeneration(record, parts, (generation) => {
      const added = { category: 'other', comment: `${name}-${at}`, created_at: '2026-03-01T10:00:00.000Z' } as const;
      return { ...generation, feedback: [...(generation.feedback ?? []), added] };
    }),
  );
}

const commentsAt = async (store: Store, { generation }: MadeRecord): Promise<string[]> =>
  ((await store.generations.get(generation.id))?.generation.feedback ?? []).map(({ comment }) => comment ?? '');
const namesOf = (name: string): string[] => Array.from({ length: CHANGES }, (_, at) => `${name}-${at}`);

test.skipIf(missingPostgres)('changes of one record that two processes make at once are all kept', async () => {
  const { url, one, other } = await openTwoStores();
  const record = makeRecord();
  await one.generations.append(record, null);
  await Promise.all([...addFeedback(one, record, 'one'), ...addFeedback(other, record, 'other')]);
  const comments = await commentsAt(other, record);
  expect(comments.toSorted()).toEqual([...namesOf('one'), ...namesOf('other')].toSorted());
  expect(comments.filter((comment) => namesOf('one').includes(comment))).toEqual(namesOf('one'));
  expect(await readWritten(url)).toMatchObject({ generations: 1, spentNano: record.costNanoUsd });
});

test.skipIf(missingPostgres)('a record is changed while it waits for the database, and after that', async () => {
  const url = await openDatabase();
  const [one, other] = [await openStore({ url, dir: await makeFolder() }), await openStore({ url })];
  const record = makeRecord();
  await one.generations.append(record, null);
  await Promise.all(addFeedback(one, record, 'early'));
  await one.generations.count();
  await Promise.all(addFeedback(other, record, 'late'));
  expect(await commentsAt(one, record)).toEqual([...namesOf('early'), ...namesOf('late')]);
});

test.skipIf(missingPostgres)(
  'a change that throws leaves the record as it is, and of an unknown one is false',
  async () => {
    const { one, other } = await openTwoStores();
    const record = makeRecord();
    await one.generations.append(record, null);
    const refuse = (): never => {
      throw new Error('refused');
    };
    await expect(other.generations.change?.(record.generation.id, refuse)).rejects.toThrow('refused');
    expect(await one.generations.change?.(record.generation.id, (found) => ({ ...found, costNanoUsd: 7 }))).toBe(true);
    expect(await other.generations.get(record.generation.id)).toEqual({ ...record, costNanoUsd: 7 });
    expect(await other.generations.change?.(makeRecord().generation.id, refuse)).toBe(false);
  },
);

test.skipIf(missingPostgres)('a member changes what is theirs, and cannot give it away', async () => {
  const { one } = await openTwoStores();
  const [own, foreign] = [makeRecord(Date.now(), { userId: 'ann' }), makeRecord(Date.now(), { userId: 'bob' })];
  for (const record of [own, foreign]) await one.generations.append(record, null);
  const seen = narrowStore(one, { userId: 'ann', own: true, workspaceIds: new Set(), memberOf: new Set() }).generations;
  const giveTo = (userId: string) => (record: MadeRecord) => ({ ...record, costNanoUsd: 7, userId });
  expect(await seen.change?.(own.generation.id, giveTo('ann'))).toBe(true);
  expect(await seen.change?.(foreign.generation.id, giveTo('ann'))).toBe(false);
  await expect(seen.change?.(own.generation.id, giveTo('bob'))).rejects.toThrow('Your role does not reach this');
  expect(await one.generations.get(own.generation.id)).toEqual({ ...own, costNanoUsd: 7 });
  expect(await one.generations.get(foreign.generation.id)).toEqual(foreign);
});
