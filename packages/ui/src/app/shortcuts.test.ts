import { expect, test } from 'vitest';

import { type KeyPress, matchKeys } from './shortcuts.ts';

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});
const entries = [{ keys: 'g m' }, { keys: 'm' }, { keys: 'mod+k' }, { keys: 'Shift+C' }, { keys: 'c' }, { keys: '?' }];
const match = (key: KeyPress, before: string | null = null): string => {
  const outcome = matchKeys(key, before, entries);
  return outcome.type === 'match' ? outcome.entry.keys : outcome.type;
};

test('tells plain keys from held ones', () => {
  expect(match(press('c'))).toBe('c');
  expect(match(press('C', { shiftKey: true }))).toBe('Shift+C');
  expect(match(press('k', { ctrlKey: true }))).toBe('mod+k');
  expect(match(press('k', { metaKey: true }))).toBe('mod+k');
  expect(match(press('c', { ctrlKey: true }))).toBe('none');
  expect(match(press('c', { altKey: true }))).toBe('none');
  expect(match(press('?', { shiftKey: true }))).toBe('?');
});

test('waits for the second key of a pair', () => {
  expect(match(press('g'))).toBe('prefix');
  expect(match(press('m'), 'g')).toBe('g m');
  expect(match(press('m'))).toBe('m');
  expect(match(press('c'), 'g')).toBe('c');
});
