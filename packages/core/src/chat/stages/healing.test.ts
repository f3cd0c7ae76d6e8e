import { expect, test } from 'vitest';

import { healJson } from './healing.ts';

test.each([
  ['a fence', '```json\n{"a": 1}\n```', { a: 1 }],
  ['a fence that is not closed', '```\n{"a": 1}', { a: 1 }],
  ['prose around it', 'Here you are: {"a": [1, 2]} Anything else?', { a: [1, 2] }],
  ['open brackets', '{"a": [1, {"b": "c', { a: [1, { b: 'c' }] }],
  ['a trailing comma', '{"a": 1, "b": [1, 2,],}', { a: 1, b: [1, 2] }],
  ['a missing comma', '{"a": 1 "b": [1 2]}', { a: 1, b: [1, 2] }],
  ['keys without quotes', '{a: 1, b_c: "d"}', { a: 1, b_c: 'd' }],
  ['single quotes', "{'a': 'it\\'s'}", { a: "it's" }],
  ['literals of another language', '{"a": True, "b": None}', { a: true, b: null }],
  [
    'numbers of another language',
    '{"a": +1, "b": .5, "c": 5., "d": -.5, "e": 007}',
    { a: 1, b: 0.5, c: 5, d: -0.5, e: 7 },
  ],
  ['comments', '{"a": 1, // one\n "b": 2}', { a: 1, b: 2 }],
  ['line breaks in strings', '{"a": "x\ny"}', { a: 'x\ny' }],
  ['escapes', '{"a": "\\u00e4\\n\\"", }', { a: 'ä\n"' }],
  ['a key without a value', '{"a": 1, "b":', { a: 1 }],
  ['a fence that is not closed after brackets that are not', '```json\n{"a": [1', { a: [1] }],
  ['names that objects have anyway', '{"a": constructor,}', { a: 'constructor' }],
  ['stray signs', '{"a": 1, : , "b": 2}', { a: 1, b: 2 }],
])('mends %s', (_, broken, value) => {
  const healed = healJson(broken);
  expect(healed).not.toBeNull();
  expect(JSON.parse(healed ?? '')).toEqual(value);
});

test.each(['{"a": 1}', ' [1] ', '3', 'Sorry, no.', ''])('leaves %j alone', (text) => {
  expect(healJson(text)).toBeNull();
});

test('keeps the digits of numbers that are too long for a computer', () => {
  expect(healJson('{"id": 12345678901234567890,}')).toBe('{"id":12345678901234567890}');
});

test('comes to an end with whatever it is given', () => {
  for (let i = 0; i < 2000; i += 1) {
    const noise = Array.from({ length: 40 }, (_, j) => '{}[],:"\'\\a1 -'[(i * 7 + j * j * 13 + ((i * j) % 11)) % 13]);
    const healed = healJson(`{${noise.join('')}`);
    if (healed !== null) JSON.parse(healed);
  }
  expect(healJson('['.repeat(100_000))).toBeDefined();
});
