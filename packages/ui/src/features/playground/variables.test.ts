import { expect, test } from 'vitest';

import { fillIn, findVariables } from './variables.ts';

test('finds each name in double braces once, in the order of appearance', () => {
  expect(findVariables(['{{b}} {{ a }} {{b}}', 'Größe: {{größe.in-cm}} {{a}}'])).toEqual(['b', 'a', 'größe.in-cm']);
});

test('takes nothing else in braces for a variable', () => {
  expect(findVariables(['{a} {{1a}} {{a b}} {{}} {{{a', '{{"json": 1}}'])).toEqual([]);
});

test('fills values in as they are, and leaves what has none', () => {
  expect(fillIn('{{a}}, {{ b }}, {{c}}', { a: '$& {{b}}', b: '' })).toBe('$& {{b}}, {{ b }}, {{c}}');
});

test('takes no member of every object for a value', () => {
  expect(fillIn('{{constructor}} {{__proto__}}', {})).toBe('{{constructor}} {{__proto__}}');
});
