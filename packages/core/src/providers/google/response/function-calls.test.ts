import fc from 'fast-check';
import { expect, test } from 'vitest';

import { addPartialArgument } from './function-calls.ts';

function build(...pieces: readonly unknown[]): unknown {
  const root: Record<string, unknown> = {};
  for (const piece of pieces) addPartialArgument(root, piece);
  return root;
}

test.each([
  ['$.a', { a: 'x' }],
  ['$.a.b.c', { a: { b: { c: 'x' } } }],
  ['$.a[0]', { a: ['x'] }],
  ['$.a[0][0].b', { a: [[{ b: 'x' }]] }],
  ["$['a b'].c", { 'a b': { c: 'x' } }],
  ['$["a\\"]"]', { 'a"]': 'x' }],
  ["$['it\\'s']", { "it's": 'x' }],
  ['$.constructor.name', { constructor: { name: 'x' } }],
  ['.a', { a: 'x' }],
])('follows the path %s', (jsonPath, expected) => {
  expect(build({ jsonPath, stringValue: 'x' })).toEqual(expected);
});

test('adds texts up at one path, and replaces anything else', () => {
  expect(
    build(
      { jsonPath: '$.text', stringValue: 'a' },
      { jsonPath: '$.text', stringValue: 'b' },
      { jsonPath: '$.text', stringValue: '' },
      { jsonPath: '$.count', numberValue: 1 },
      { jsonPath: '$.count', numberValue: 2.5 },
      { jsonPath: '$.flag', boolValue: false },
      { jsonPath: '$.none', nullValue: 'NULL_VALUE' },
      { jsonPath: '$.list[0].id', numberValue: 0 },
      { jsonPath: '$.list[1].id', stringValue: 'z' },
    ),
  ).toEqual({ text: 'ab', count: 2.5, flag: false, none: null, list: [{ id: 0 }, { id: 'z' }] });
});

test.each([
  ['no path', { stringValue: 'x' }],
  ['an empty path', { jsonPath: '', stringValue: 'x' }],
  ['the root', { jsonPath: '$', stringValue: 'x' }],
  ['a path that is none', { jsonPath: '$.a[b', stringValue: 'x' }],
  ['a wildcard', { jsonPath: '$.a[*]', stringValue: 'x' }],
  ['a step onto the prototype', { jsonPath: '$.__proto__.polluted', stringValue: 'x' }],
  ['a quoted step onto the prototype', { jsonPath: "$['__proto__'].polluted", stringValue: 'x' }],
  ['no value', { jsonPath: '$.a', willContinue: true }],
  ['a number that is none', { jsonPath: '$.a', numberValue: null, boolValue: 'yes' }],
  ['null', null],
  ['a text', '$.a'],
])('leaves out a piece with %s', (_name, piece) => {
  expect(build(piece)).toStrictEqual({});
});

test('puts an item far beyond the end of a list at its end', () => {
  expect(build({ jsonPath: '$.a[4294967290]', stringValue: 'x' })).toEqual({ a: ['x'] });
});

test('leaves lists unchanged at a path with a name in them', () => {
  const list = { jsonPath: '$.a[0]', stringValue: 'x' };
  expect(build(list, { jsonPath: '$.a.b', stringValue: 'y' }, { jsonPath: '$.a.b.c', stringValue: 'y' })).toEqual({
    a: ['x'],
  });
});

test('never throws, and never leaves anything that cannot be written', () => {
  const piece = fc.record({
    jsonPath: fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('.a', '.constructor', '.length', '[0]', '[1]', "['b']", '["c"]', '.__proto__'))
        .map((steps) => `$${steps.join('')}`),
    ),
    stringValue: fc.option(fc.string(), { nil: undefined }),
    // As JSON has it, which knows no negative zero.
    numberValue: fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
  });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const root = build(...pieces);
      expect(JSON.parse(JSON.stringify(root))).toEqual(root);
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    }),
  );
});
