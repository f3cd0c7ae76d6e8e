import { expect, test } from 'vitest';

import { suggest } from './filter-input.tsx';

const KNOWN = { model: ['acme/chat', 'acme/film', 'b/chat'], provider: ['Acme', 'Two Words'], key: ['demo'] };
const at = (line: string, caret = line.length) => suggest(line, caret, KNOWN);
const lines = (line: string, caret?: number): string[] => at(line, caret).map((option) => option.line);

test('suggests the fields that a word may become, those that begin with it first', () => {
  expect(lines('mod').slice(0, 2)).toEqual(['model:', 'moderation>']);
  expect(lines('status:ok -att')).toEqual(['status:ok -attempts>']);
  expect(at('byo')[0]).toMatchObject({ label: 'byok', about: 'Paid to the provider directly' });
  expect(lines('')).toEqual([]);
  expect(lines('zzz')).toEqual([]);
});

test('suggests known values of a field, also within quotes and behind a comma', () => {
  expect(lines('model:chat')).toEqual(['model:acme/chat ', 'model:b/chat ']);
  expect(lines('model:acme/chat,fi')).toEqual(['model:acme/chat,acme/film ']);
  expect(lines('provider:"two w')).toEqual(['provider:"Two Words" ']);
  expect(lines('-status:')).toEqual(['-status:ok ', '-status:failed ', '-status:cancelled ', '-status:interrupted ']);
  expect(lines('streamed:y')).toEqual(['streamed:yes ']);
  expect(lines('app:x')).toEqual([]);
  expect(lines('cost>1')).toEqual([]);
  // What stands there already is no suggestion.
  expect(lines('status:ok')).toEqual([]);
});

test('suggests for the word at the caret, and leaves the others', () => {
  expect(at('mod status:ok', 3)[0]).toEqual({
    label: 'model',
    about: expect.any(String),
    line: 'model: status:ok',
    caret: 6,
  });
  expect(lines('model:acme/f "x y"', 12)[0]).toBe('model:acme/film "x y"');
});
