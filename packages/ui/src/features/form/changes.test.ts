import { expect, test } from 'vitest';

import { toChanged, toReversal, withTyped } from './changes.ts';

test('a change has only the fields that differ, lists and groups as a whole', () => {
  const before = { name: 'a', limit: null as number | null, only: ['x'], group: { one: 1 } };
  expect(toChanged({ ...before }, before)).toEqual({});
  expect(toChanged({ ...before, limit: 5, only: ['x', 'y'] }, before)).toEqual({ limit: 5, only: ['x', 'y'] });
  expect(toChanged({ ...before, group: { one: 2 } }, before)).toEqual({ group: { one: 2 } });
});

test('what takes a change back has its fields alone', () => {
  expect(toReversal<{ name: string; role?: string }>({ name: 'b' }, { name: 'a', role: 'viewer' })).toEqual({
    name: 'a',
  });
});

test('what was typed while a form was saved stays, and the rest is as it was saved', () => {
  const sent = { name: 'sent', limit: 1, byOthers: 'old' };
  const now = { ...sent, limit: 2 };
  expect(withTyped({ name: 'Sent', limit: 1, byOthers: 'new' }, sent, now)).toEqual({
    name: 'Sent',
    limit: 2,
    byOthers: 'new',
  });
  expect(withTyped({ ...sent, name: 'Sent' }, sent, sent)).toEqual({ ...sent, name: 'Sent' });
});

test('of a group, only the typed field stays as it is typed', () => {
  const sent = { providers: { only: ['a'], ignore: ['b'] }, config: { url: 'https://a.example' } };
  const saved = { ...sent, providers: { only: ['a'], ignore: ['c'] } };
  const now = { providers: { only: ['a', 'd'], ignore: ['b'] }, config: { url: 'https://a.example', method: 'PUT' } };
  expect(withTyped<object>(saved, sent, now)).toEqual({
    providers: { only: ['a', 'd'], ignore: ['c'] },
    config: { url: 'https://a.example', method: 'PUT' },
  });
});
