import { expect, test } from 'vitest';

import { findLines, MAX_LINES, splitPasted, toKnownValue } from './multi-select-options.ts';

const options = [
  { value: 'acme/chat', label: 'acme/chat', words: 'Acme Chat' },
  { value: 'beta/chat-acme', label: 'beta/chat-acme' },
  { value: 'beta/film', label: 'Film', note: '$2' },
];
const find = (text: string, more: object = {}) =>
  findLines({ options, chosen: [], text, allowsOther: false, ...more }).lines.map((line) =>
    line.kind === 'other' ? `+${line.value}` : line.option.value + (line.isChosen ? '!' : ''),
  );

test('finds options word by word, those first that begin with what is typed', () => {
  expect(find('')).toEqual(['acme/chat', 'beta/chat-acme', 'beta/film']);
  expect(find('ACME')).toEqual(['acme/chat', 'beta/chat-acme']);
  expect(find('chat beta')).toEqual(['beta/chat-acme']);
  expect(find('fil')).toEqual(['beta/film']);
  expect(find('none')).toEqual([]);
});

test('marks what is chosen', () => {
  expect(find('beta', { chosen: ['beta/film'] })).toEqual(['beta/chat-acme', 'beta/film!']);
});

test('offers what is typed as it is written, where that may be and it is no option', () => {
  expect(find(' Gamma ', { allowsOther: true })).toEqual(['+Gamma']);
  expect(find('beta/film', { allowsOther: true })).toEqual(['beta/film']);
  expect(find('gamma', { allowsOther: true, chosen: ['gamma'] })).toEqual([]);
  expect(find('', { allowsOther: true })).toHaveLength(3);
});

test('shows a part of many, and says how many more there are', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ value: `a/${at}`, label: `a/${at}` }));
  const { lines, more } = findLines({ options: many, chosen: [], text: 'a', allowsOther: true });
  expect(lines).toHaveLength(MAX_LINES + 1);
  expect(more).toBe(100 - MAX_LINES);
});

test('takes a pasted list apart, and what it names in another case for the same', () => {
  expect(splitPasted('Acme/Chat, gamma\nbeta/film,', options)).toEqual(['acme/chat', 'gamma', 'beta/film']);
  expect(splitPasted('acme/chat', options)).toBeNull();
  expect(toKnownValue('BETA/film', options)).toBe('beta/film');
});
