import { expect, test } from 'vitest';

import type { ListRow } from '../list/list-row.ts';
import {
  belongsTo,
  hasGenerationFilters,
  isOpenSpan,
  toGenerationQuery,
  toGenerationSearch,
  toSortQuery,
} from './generation-search.ts';

test('keeps what the gateway takes and drops what it would refuse', () => {
  const search = {
    model: 'a/b',
    status: 'ok,broken',
    min_cost: '-1',
    max_cost: '0.5',
    from: 'yesterday',
    text: 'x',
    other: 'y',
    open: 'gen-1',
  };
  expect(toGenerationSearch(search)).toEqual({ model: 'a/b', max_cost: '0.5', open: 'gen-1' });
});

test('takes a range only where no beginning is given', () => {
  expect(toGenerationSearch({ range: '24h' })).toEqual({ range: '24h' });
  expect(toGenerationSearch({ range: '24h', from: '2026-01-01' })).toEqual({ from: '2026-01-01' });
  expect(toGenerationSearch({ range: 'toString' })).toEqual({});
});

test('counts a range back from now, and asks for nothing that is not a filter', () => {
  const query = toGenerationQuery({ range: '1h', status: 'failed', open: 'gen-1' }, Date.parse('2026-01-02T03:00:00Z'));
  expect(query).toMatchObject({ from: '2026-01-02T02:00:00.000Z', status: 'failed' });
  expect(Object.keys(query)).not.toContain('open');
  expect(Object.keys(query)).not.toContain('range');
});

test('does not take what is open for a filter', () => {
  expect(hasGenerationFilters({ open: 'gen-1', compare: 'a,b' })).toBe(false);
  expect(hasGenerationFilters({ range: '1h' })).toBe(true);
});

const row = {
  model: 'a/b',
  status: 'ok',
  key_hash: 'k',
  provider_name: 'Acme',
  session_id: null,
  total_cost: 0.02,
  created_at: '2026-01-02T03:00:00Z',
} as ListRow;

test.each([
  [{}, true],
  [{ model: 'c/d,a/b' }, true],
  [{ model: 'a/bc' }, false],
  [{ status: 'failed' }, false],
  [{ session: 's' }, false],
  [{ session: 'none' }, true],
  // A row has neither.
  [{ member: 'ada' }, undefined],
  [{ app: 'opencode' }, undefined],
  [{ min_cost: '0.02', max_cost: '0.02' }, true],
  [{ min_cost: '0.03' }, false],
  [{ from: '2026-01-02T03:00:00Z' }, true],
  [{ to: '2026-01-02T03:00:00Z' }, false],
  [{ provider: 'Acme' }, true],
  // It may be a slug, or the text may be in the prompt: the gateway alone can tell.
  [{ provider: 'acme' }, undefined],
  [{ text: 'hello' }, undefined],
  [{ where: 'attempts>1' }, undefined],
  [{ text: 'hello', status: 'failed' }, false],
])('tells whether what has just ended belongs to %o', (search, expected) => {
  expect(belongsTo(row, search)).toBe(expected);
});

test('takes an order of the list that there is, and none for the newest first', () => {
  expect(toGenerationSearch({ sort: 'cost', order: 'asc' })).toEqual({ sort: 'cost', order: 'asc' });
  expect(toGenerationSearch({ sort: 'cost' })).toEqual({ sort: 'cost', order: 'desc' });
  expect(toGenerationSearch({ sort: 'time', order: 'asc' })).toEqual({ sort: 'time', order: 'asc' });
  for (const nothing of [{ sort: 'time', order: 'desc' }, { sort: 'weight' }, { order: 'asc' }]) {
    expect(toGenerationSearch(nothing)).toEqual({});
  }
  expect(hasGenerationFilters({ sort: 'cost', order: 'desc' })).toBe(false);
});

test('hands on conditions of the filter language, which are filters', () => {
  const search = toGenerationSearch({ where: 'attempts>1' });
  expect(search).toEqual({ where: 'attempts>1' });
  expect(toGenerationQuery(search, 0)).toMatchObject({ where: 'attempts>1' });
  expect(hasGenerationFilters(search)).toBe(true);
});

test('asks for no order while a text is looked for', () => {
  expect(toSortQuery({ sort: 'cost', order: 'asc' })).toEqual({ sort: 'cost', order: 'asc' });
  expect(toSortQuery({ sort: 'cost', order: 'asc', text: 'hello' })).toEqual({});
  expect(toSortQuery({})).toEqual({});
});

test('takes yesterday for the whole day before, and lets nothing in that ends today', () => {
  const now = new Date(2026, 0, 2, 15, 30).getTime();
  const { from, to } = toGenerationQuery({ range: 'yesterday' }, now);
  expect([from, to]).toEqual([new Date(2026, 0, 1).toISOString(), new Date(2026, 0, 2).toISOString()]);
  expect(isOpenSpan({ range: 'yesterday' })).toBe(false);
  expect(isOpenSpan({ range: '24h' })).toBe(true);
  expect(belongsTo({ ...row, created_at: new Date().toISOString() }, { range: 'yesterday' })).toBe(false);
  expect(belongsTo({ ...row, created_at: new Date().toISOString() }, { range: 'today' })).toBe(true);
});

test('counts today from the midnight of the reader', () => {
  const now = new Date(2026, 0, 2, 15, 30).getTime();
  expect(toGenerationQuery({ range: 'today' }, now)['from']).toBe(new Date(2026, 0, 2).toISOString());
});
