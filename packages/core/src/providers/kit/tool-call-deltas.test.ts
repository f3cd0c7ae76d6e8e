import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { ToolCallDelta } from '../../wire/chat-chunk.ts';
import { createToolCallDeltas, type UpstreamToolCall } from './tool-call-deltas.ts';

const makeId = (number: number): string => `made-${number}`;

/** Everything that leaves for these batches of pieces, the end included. */
function mend(...batches: readonly UpstreamToolCall[][]): ToolCallDelta[] {
  const deltas = createToolCallDeltas(makeId);
  return [...batches.flatMap((pieces) => deltas.push(pieces)), ...deltas.flush()];
}

/** Assembles the deltas as a client does. Fails on any that is not well formed. */
function assemble(deltas: readonly ToolCallDelta[]): { id: string; name: string; arguments: string }[] {
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const { index, id, type, function: called } of deltas) {
    expect(index).toBeLessThanOrEqual(calls.length);
    const known = calls[index];
    // The first piece names the call, and no other does.
    expect([id, type, called.name].map((field) => field === undefined)).toEqual(Array(3).fill(known !== undefined));
    if (known === undefined) calls.push({ id: id ?? '', name: called.name ?? '', arguments: called.arguments });
    else known.arguments += called.arguments;
  }
  return calls;
}

test('passes well-formed pieces on as they are', () => {
  expect(
    mend(
      [{ index: 0, id: 'a', function: { name: 'look', arguments: '' } }],
      [{ index: 0, function: { arguments: '{"at":' } }],
      [{ index: 0, function: { arguments: '1}' } }],
    ),
  ).toEqual([
    { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":' } },
    { index: 0, function: { arguments: '1}' } },
  ]);
});

test('keeps interleaved parallel calls apart by their index', () => {
  const calls = assemble(
    mend(
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }],
      [{ index: 1, id: 'b', function: { name: 'g', arguments: '{"y"' } }],
      [
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
    ),
  );
  expect(calls).toEqual([
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'b', name: 'g', arguments: '{"y":2}' },
  ]);
});

test('tells two calls of one id and one index apart once the arguments of the first are whole', () => {
  const piece = (text: string) => ({ index: 0, id: 'a', function: { name: 'f', arguments: text } });
  expect(assemble(mend([piece('{"x":1}')], [piece(' {"x":'), { index: 0, function: { arguments: '2}' } }]))).toEqual([
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'made-1', name: 'f', arguments: ' {"x":2}' },
  ]);
  const unnamed = { index: 0, function: { arguments: '{"x":2}' } };
  expect(assemble(mend([piece('{"x":1}')], [unnamed]))).toEqual([
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'made-1', name: 'f', arguments: '{"x":2}' },
  ]);
});

test('drops arguments that come once more when they were whole', () => {
  const piece = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":{"y":1}}' } };
  expect(assemble(mend([piece], [piece]))).toEqual([{ id: 'a', name: 'f', arguments: '{"x":{"y":1}}' }]);
});

test('renumbers indexes that jump, repeat or start above 0', () => {
  const calls = assemble(
    mend(
      [{ index: 3, id: 'a', function: { name: 'f', arguments: '{}' } }],
      [{ index: 7, id: 'b', function: { name: 'g', arguments: '{}' } }],
    ),
  );
  expect(calls.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('distinguishes parallel calls that all have index 0, by their ids', () => {
  const calls = assemble(
    mend(
      [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1' } }],
      [{ index: 0, function: { arguments: '}' } }],
      [{ index: 0, id: 'b', function: { name: 'f', arguments: '{"x":2' } }],
      [{ index: 0, function: { arguments: '}' } }],
    ),
  );
  expect(calls).toEqual([
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'b', name: 'f', arguments: '{"x":2}' },
  ]);
});

test('distinguishes whole parallel calls without ids and indexes, by their names', () => {
  const calls = assemble(
    mend([{ function: { name: 'f', arguments: '{"x":1}' } }, { function: { name: 'g', arguments: '{"x":2}' } }]),
  );
  expect(calls).toEqual([
    { id: 'made-0', name: 'f', arguments: '{"x":1}' },
    { id: 'made-1', name: 'g', arguments: '{"x":2}' },
  ]);
});

test('distinguishes whole calls of one function without ids and all with index 0', () => {
  const calls = assemble(
    mend(
      [{ index: 0, id: '', function: { name: 'f', arguments: '{"x":1}' } }],
      [{ index: 0, id: '', function: { name: 'f', arguments: '{"x":2}' } }],
    ),
  );
  expect(calls).toEqual([
    { id: 'made-0', name: 'f', arguments: '{"x":1}' },
    { id: 'made-1', name: 'f', arguments: '{"x":2}' },
  ]);
});

test('takes an id repeated on every piece, or changing within a call, as the same call', () => {
  const repeated = mend(
    [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }],
    [{ index: 0, id: 'a', function: { name: 'f', arguments: '}' } }],
  );
  expect(assemble(repeated)).toEqual([{ id: 'a', name: 'f', arguments: '{}' }]);

  const changing = mend(
    [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }],
    [{ index: 0, id: 'b', function: { arguments: '}' } }],
  );
  expect(assemble(changing)).toEqual([{ id: 'a', name: 'f', arguments: '{}' }]);
});

/** Pieces in batches of this size. */
const inBatches = (pieces: readonly UpstreamToolCall[], size: number): UpstreamToolCall[][] =>
  pieces.flatMap((_, at) => (at % size === 0 ? [pieces.slice(at, at + size)] : []));

test.each([1, 2, 100])('keeps calls with one id apart by their index, in batches of %i', (size) => {
  const begin = (index: number, name: string) => ({ index, id: 'same', function: { name, arguments: '' } });
  const rest = (index: number, text: string, id?: string) => ({ index, id, function: { arguments: text } });
  const meant = [
    { id: 'same', name: 'f', arguments: '{"x":1}' },
    { id: 'made-1', name: 'f', arguments: '{"x":2}' },
  ];
  for (const id of [undefined, 'same']) {
    const inTurn = [begin(0, 'f'), rest(0, '{"x":1}', id), begin(1, 'f'), rest(1, '{"x":', id), rest(1, '2}', id)];
    expect(assemble(mend(...inBatches(inTurn, size)))).toEqual(meant);
    const interleaved = [
      begin(0, 'f'),
      rest(0, '{"x"', id),
      begin(1, 'f'),
      rest(1, '{"x"', id),
      rest(0, ':1}', id),
      rest(1, ':2}', id),
    ];
    expect(assemble(mend(...inBatches(interleaved, size)))).toEqual(meant);
  }
});

test.each([1, 2, 100])('keeps whole calls with one id and without indexes apart, in batches of %i', (size) => {
  const pieces = [
    { id: 'same', function: { name: 'f', arguments: '{"x":' } },
    { id: 'same', function: { name: 'f', arguments: '1}' } },
    { id: 'same', function: { name: 'f', arguments: '' } },
    { id: 'same', function: { name: 'f', arguments: '{"x":2' } },
    { id: 'same', function: { arguments: '}' } },
  ];
  expect(assemble(mend(...inBatches(pieces, size)))).toEqual([
    { id: 'same', name: 'f', arguments: '{"x":1}' },
    { id: 'made-1', name: 'f', arguments: '{"x":2}' },
  ]);
});

test('makes an id for a call that has none, and takes a number for one', () => {
  const calls = assemble(
    mend([
      { index: 0, function: { name: 'f', arguments: '{}' } },
      { index: 1, id: 17, function: { name: 'g', arguments: '{}' } },
      { index: 2, id: null, function: { name: 'h', arguments: '{}' } },
    ]),
  );
  expect(calls.map(({ id }) => id)).toEqual(['made-0', '17', 'made-2']);
});

test('waits for the whole of a name that comes in two pieces, and does not double one that is repeated', () => {
  const split = mend(
    [{ index: 0, id: 'a', function: { name: 'get_' } }],
    [{ index: 0, function: { name: 'weather' } }],
    [{ index: 0, function: { arguments: '{}' } }],
  );
  expect(split).toEqual([{ index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } }]);

  const repeated = mend(
    [{ index: 0, id: 'a', function: { name: 'f' } }],
    [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }],
    [{ index: 0, id: 'a', function: { name: 'f', arguments: '}' } }],
  );
  expect(assemble(repeated)).toEqual([{ id: 'a', name: 'f', arguments: '{}' }]);
});

test('announces a call whose arguments are still to come before the next call begins', () => {
  const deltas = createToolCallDeltas(makeId);
  expect(deltas.push([{ index: 0, id: 'a', function: { name: 'f' } }])).toEqual([]);
  expect(deltas.push([{ index: 1, id: 'b', function: { name: 'g', arguments: '{}' } }])).toEqual([
    { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
    { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
  ]);
  expect(deltas.push([{ index: 0, function: { arguments: '{"late":1}' } }])).toEqual([
    { index: 0, function: { arguments: '{"late":1}' } },
  ]);
  expect(deltas.flush()).toEqual([]);
});

test('turns arguments that are no text into text', () => {
  expect(assemble(mend([{ index: 0, id: 'a', function: { name: 'f', arguments: { x: [1, 'é'] } } }]))).toEqual([
    { id: 'a', name: 'f', arguments: '{"x":[1,"é"]}' },
  ]);
});

test('gives calls without arguments an empty object, once, at the end', () => {
  const deltas = createToolCallDeltas(makeId);
  deltas.push([{ index: 0, id: 'a', function: { name: 'f', arguments: null } }]);
  deltas.push([{ index: 1, id: 'b', function: { name: 'g' } }]);
  expect(deltas.count()).toBe(2);
  expect(deltas.flush()).toEqual([
    { index: 0, function: { arguments: '{}' } },
    { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
  ]);
  expect(deltas.flush()).toEqual([]);
});

test('survives pieces that are no pieces', () => {
  const pieces = [null, 5, 'x', [], { function: null }, { function: 'f' }] as unknown as UpstreamToolCall[];
  expect(() => assemble(mend(pieces))).not.toThrow();
});

interface Call {
  readonly id: string;
  readonly name: string;
  readonly parts: readonly string[];
}

/** How upstreams cut the same calls into pieces. */
const DIALECTS: Readonly<Record<string, (call: Call, index: number) => UpstreamToolCall[]>> = {
  'as documented': ({ id, name, parts }, index) => [
    { index, id, function: { name, arguments: '' } },
    ...parts.map((part) => ({ index, function: { arguments: part } })),
  ],
  'everything on every piece': ({ id, name, parts }, index) =>
    parts.map((part) => ({ index, id, function: { name, arguments: part } })),
  'always index 0': ({ id, name, parts }) =>
    parts.map((part, i) =>
      i === 0 ? { index: 0, id, function: { name, arguments: part } } : { index: 0, function: { arguments: part } },
    ),
  'no index': ({ id, name, parts }) =>
    parts.map((part, i) => (i === 0 ? { id, function: { name, arguments: part } } : { function: { arguments: part } })),
  'no ids': ({ name, parts }, index) =>
    parts.map((part, i) => ({ index, function: { ...(i === 0 && { name }), arguments: part } })),
  'no ids, the name on every piece': ({ name, parts }, index) =>
    parts.map((part) => ({ index, function: { name, arguments: part } })),
  'arguments as an object': ({ id, name, parts }, index) => [
    { index, id, function: { name, arguments: JSON.parse(parts.join('')) as unknown } },
  ],
};

/**
 * Without a backslash: once V8 has parsed `{"\\":1}`, it reads `{"\"":1}` as the same
 * (https://github.com/nodejs/node/issues/63785).
 */
const memberNames = fc.string().filter((name) => !name.includes('\\'));

test.each(Object.entries(DIALECTS))('restores what upstream meant from pieces in the dialect "%s"', (dialect, cut) => {
  const parts = fc
    .tuple(
      fc.object({ maxDepth: 1, key: memberNames, values: [fc.string(), fc.nat()] }),
      fc.array(fc.nat(60), { maxLength: 5 }),
    )
    .map(([value, cuts]) => {
      const text = JSON.stringify(value);
      const at = [0, ...cuts.map((cutAt) => Math.min(cutAt, text.length)).toSorted((a, b) => a - b), text.length];
      return at
        .slice(1)
        .map((end, i) => text.slice(at[i], end))
        .filter((part) => part !== '');
    });
  const calls = fc.array(fc.record({ name: fc.constantFrom('f', 'get_weather', 'g'), parts }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(calls, (unnamed) => {
      const meant = unnamed.map((call, i) => ({ ...call, id: `id-${i}` }));
      const found = assemble(mend(...meant.flatMap(cut).map((piece) => [piece])));
      expect(found).toEqual(
        meant.map(({ id, name, parts: text }, i) => ({
          id: dialect.startsWith('no ids') ? `made-${i}` : id,
          name,
          arguments: text.join(''),
        })),
      );
    }),
    { numRuns: 200 },
  );
});
