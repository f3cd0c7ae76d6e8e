import { expect, test } from 'vitest';

import { type DryRunScope, toDryRunFilter } from './dry-run.tsx';

const NOW = Date.UTC(2026, 2, 1, 12);
const scope: DryRunScope = { span: '24h', from: '', to: '', where: ' ', isOwnKeys: false };
const filterOf = (change: Partial<DryRunScope>, keys: readonly string[] = ['a', 'b']) =>
  toDryRunFilter({ ...scope, ...change }, keys, NOW);

test('counts a span back from now, or takes one as it is written in local time', () => {
  expect(filterOf({})).toEqual({ from: '2026-02-28T12:00:00.000Z' });
  expect(filterOf({ span: 'all' })).toEqual({});
  const from = '2026-02-01T10:00';
  expect(filterOf({ span: 'own', from })).toEqual({ from: new Date(2026, 1, 1, 10).toISOString() });
  expect(filterOf({ span: 'all', from })).toEqual({});
});

test('adds conditions, and keys where there are some', () => {
  expect(filterOf({ span: 'all', where: ' cost>1 ', isOwnKeys: true })).toEqual({ where: 'cost>1', key: 'a,b' });
  expect(filterOf({ span: 'all', isOwnKeys: true }, [])).toEqual({});
});
