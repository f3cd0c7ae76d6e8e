import { EMPTY_TABLES, type Tables } from '@model-gateway/core';
import { expect, test } from 'vitest';

import type { TableRow } from './table-sql.ts';
import { createTableMemory } from './tables.ts';

const toAssignment = (subjectId: string, guardrailId = 'g'): Tables['keyAssignments'][number] => ({
  id: subjectId,
  guardrailId,
  subjectId,
  assignedBy: null,
  createdAt: '2026-03-01T10:00:00.000Z',
});

/** The tables with these assignments of keys. */
const withRows = (...rows: Tables['keyAssignments']): Tables => ({ ...EMPTY_TABLES, keyAssignments: rows });

const shorten = (writes: readonly TableRow[]): unknown[] =>
  writes.map(({ id, position, row }) => [id, position, row === null ? 'gone' : 'there']);

/** A memory that has written a, b and c. */
function createFilled() {
  const memory = createTableMemory();
  const writes = memory.toWrites(withRows(toAssignment('a'), toAssignment('b'), toAssignment('c')));
  memory.take(writes);
  return { memory, writes };
}

test('new rows go behind those that are there', () => {
  const { memory, writes } = createFilled();
  expect(shorten(writes)).toEqual([
    ['a', 1, 'there'],
    ['b', 2, 'there'],
    ['c', 3, 'there'],
  ]);
  const { keyAssignments } = memory.tables();
  expect(shorten(memory.toWrites(withRows(...keyAssignments, toAssignment('d'))))).toEqual([['d', 4, 'there']]);
});

test('only what differs is written, at its place', () => {
  const { memory } = createFilled();
  const [a, b, c] = memory.tables().keyAssignments;
  if (a === undefined || b === undefined || c === undefined) throw new Error('three rows');
  expect(memory.toWrites(withRows(a, { ...b }, c))).toEqual([]);
  expect(shorten(memory.toWrites(withRows(a, toAssignment('b', 'other'), c)))).toEqual([['b', 2, 'there']]);
  expect(shorten(memory.toWrites(withRows(a, c)))).toEqual([['b', 2, 'gone']]);
});

test('a row that is put behind others gets a place there', () => {
  const { memory } = createFilled();
  const [a, b, c] = memory.tables().keyAssignments;
  if (a === undefined || b === undefined || c === undefined) throw new Error('three rows');
  const wanted = withRows(b, c, a);
  const writes = memory.toWrites(wanted);
  expect(shorten(writes)).toEqual([['a', 4, 'there']]);
  expect(memory.take(writes)).toEqual(new Set(['keyAssignments']));
  expect(memory.tables()).toEqual(wanted);
});

test('rows that another process wrote come to their places, whatever their order', () => {
  const { memory, writes } = createFilled();
  const other = createTableMemory();
  expect(other.take(writes.toReversed())).toEqual(new Set(['keyAssignments']));
  expect(other.tables()).toEqual(memory.tables());
  expect(other.take(writes)).toEqual(new Set());
});

test('rows that are missing among all there are have gone', () => {
  const { memory, writes } = createFilled();
  expect(memory.replace(writes.slice(1))).toEqual(new Set(['keyAssignments']));
  expect(memory.tables().keyAssignments.map(({ subjectId }) => subjectId)).toEqual(['b', 'c']);
  expect(memory.replace(writes.slice(1))).toEqual(new Set());
});

test('tables that did not change are the same objects, and settings that are removed are empty', () => {
  const memory = createTableMemory();
  memory.take(memory.toWrites({ ...EMPTY_TABLES, settings: { credits_usd: 5 } }));
  const { settings, keys } = memory.tables();
  expect(settings).toEqual({ credits_usd: 5 });
  memory.take(memory.toWrites({ ...memory.tables(), keyAssignments: [toAssignment('a')] }));
  expect(memory.tables().settings).toBe(settings);
  expect(memory.tables().keys).toBe(keys);
  expect(memory.replace([])).toEqual(new Set(['settings', 'keyAssignments']));
  expect(memory.tables()).toEqual(EMPTY_TABLES);
});

test('rows of a table that this version does not know are left alone', () => {
  const memory = createTableMemory();
  const row = { table: 'teams' as 'keys', id: 't', position: 1, row: '{}' };
  expect(memory.take([row])).toEqual(new Set());
  expect(memory.tables()).toEqual(EMPTY_TABLES);
});
