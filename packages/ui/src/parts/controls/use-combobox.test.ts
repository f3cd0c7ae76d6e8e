import { describe, expect, test } from 'vitest';

import { findNextPlace } from './use-combobox.ts';

const list = { active: 2, count: 12, isOpen: true, isRound: false };

describe('The keys of a list of options', () => {
  test.each([
    ['ArrowDown', list, 3],
    ['ArrowUp', list, 1],
    ['PageDown', list, 10],
    ['PageUp', list, 0],
    ['ArrowDown', { ...list, active: 11 }, 11],
    ['ArrowUp', { ...list, active: 0 }, 0],
    ['PageDown', { ...list, active: 9 }, 11],
    ['ArrowDown', { ...list, active: -1, count: 0 }, 0],
    ['Enter', list, undefined],
    ['Home', list, undefined],
  ])('%s leads on, and stops at the ends', (key, from, place) => {
    expect(findNextPlace(key, from)).toBe(place);
  });

  test('ArrowDown opens a closed list at its first option', () => {
    expect(findNextPlace('ArrowDown', { ...list, isOpen: false })).toBe(0);
  });

  test.each([
    ['ArrowDown', 11, 0],
    ['ArrowUp', 0, 11],
    ['ArrowDown', -1, 0],
    ['ArrowUp', -1, 11],
    ['PageDown', 2, undefined],
  ])('in a round list %s leads from %i to %s', (key, active, place) => {
    expect(findNextPlace(key, { ...list, active, isRound: true })).toBe(place);
  });
});
