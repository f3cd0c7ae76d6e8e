import { fromStoredForm, type StoredContent } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toContent, toRecord, toTurns } from '../../../../test/support/stores/generation-records.ts';
import { LongText, withLongTexts } from '../../../core/src/generations/long-output.ts';
import { createPendingRecords, toPendingRecord } from './pending-records.ts';

const ALL = { records: 100, bytes: Number.POSITIVE_INFINITY };
const fill = (ids: readonly string[]) => {
  const pending = createPendingRecords();
  for (const id of ids) pending.add(toPendingRecord(toRecord(id), toContent(id)));
  return pending;
};
const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);

test('batches are taken in order, within their limits, and never empty', () => {
  const pending = fill(['a', 'b', 'c', 'd']);
  expect(idsOf(pending.take({ records: 2, bytes: 1e9 }))).toEqual(['a', 'b']);
  expect(idsOf(pending.take({ records: 2, bytes: 1 }))).toEqual(['c']);
  expect(pending.queued).toBe(1);
});

test('what is left of a batch that failed comes before all others', () => {
  const pending = fill(['a', 'b', 'c']);
  const batch = pending.take({ ...ALL, records: 2 });
  if (batch[0] !== undefined) pending.remove(batch[0]);
  pending.putBack(batch);
  expect(idsOf(pending.take(ALL))).toEqual(['b', 'c']);
  expect(pending.find('b')).toMatchObject({ wasTried: true });
});

test('all is settled up to a record when no earlier one is pending', () => {
  const pending = fill(['a', 'b']);
  const upTo = pending.last();
  pending.add(toPendingRecord(toRecord('c'), null));
  const [first, second] = pending.take({ ...ALL, records: 2 });
  if (second !== undefined) pending.remove(second);
  expect(pending.isSettled(upTo)).toBe(false);
  if (first !== undefined) pending.remove(first);
  expect(pending.isSettled(upTo)).toBe(true);
  expect(pending.size).toBe(1);
});

test('memory is counted, and free again', () => {
  const pending = fill(['a']);
  expect(pending.bytes).toBeGreaterThan(1000);
  for (const record of pending.take(ALL)) pending.remove(record);
  expect(pending.bytes).toBe(0);
});

test('an id is known while its record is pending and for a while after it', () => {
  const pending = createPendingRecords();
  pending.know('a');
  for (let index = 0; index < 15_000; index += 1) pending.know(`id-${index}`);
  expect(pending.isKnown('a')).toBe(true);
  for (let index = 15_000; index < 60_000; index += 1) pending.know(`id-${index}`);
  expect(pending.isKnown('a')).toBe(false);
  expect(pending.isKnown('id-59999')).toBe(true);
});

test('a content names what its request repeats, also where a long text comes in pieces, and is read as it was', () => {
  const [turn] = toTurns(3).slice(-1) as [StoredContent];
  const long = new LongText(() => ['"piece" ', 'by piece '], 'to the end');
  const output = withLongTexts({ ...turn.output, completion: null }, { completion: long });
  for (const content of [turn, { ...turn, output }]) {
    const { text = '' } = toPendingRecord(toRecord('a'), content).content ?? {};
    expect(text.length).toBeLessThan(0.6 * JSON.stringify(content).length);
    expect(JSON.stringify(fromStoredForm(JSON.parse(text)))).toBe(JSON.stringify(content));
  }
});
