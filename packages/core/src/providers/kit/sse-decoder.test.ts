import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { chunkings } from '../../../../../test/support/upstreams/chunkings.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { createSseDecoder } from './sse-decoder.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The data of all finished events, and what was open at the end. */
function decode(pieces: readonly Uint8Array[]): { events: string[]; open: string | undefined } {
  const decoder = createSseDecoder();
  const events = pieces.flatMap((piece) => [...decoder.push(piece)]);
  return { events, open: decoder.end() };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

// The format cases of the web platform tests of EventSource, by their names there.
const LONG = 'x'.repeat(2000);
const FORMAT_CASES: readonly [name: string, stream: string, events: readonly string[], open?: string][] = [
  [
    'format-bom: one byte order mark is skipped, later ones are not',
    '\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
    ['1', '3'],
  ],
  ['format-bom-2: the second of two byte order marks stays', '\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3\n\n', ['2', '3']],
  [
    'format-comments: comments say nothing, long or short, whatever is in them',
    `data:1\r:\0\n:\r\ndata:2\n:${LONG}\rdata:3\n:data:fail\r:${LONG}\ndata:4\n\n`,
    ['1\n2\n3\n4'],
  ],
  [
    'format-data-before-final-empty-line: an event without its blank line is not finished',
    'retry:1000\ndata:test1\n\nid:test\ndata:test2',
    ['test1'],
    'test2',
  ],
  ['format-field-data: data without a value is empty text', 'data:\n\ndata\ndata\n\ndata:test\n\n', ['', '\n', 'test']],
  [
    'format-field-event: the name of an event does not matter',
    'event:test\ndata:x\n\nevent:ping\n\ndata:y\n\n',
    ['x', 'y'],
  ],
  ['format-field-id: ids do not matter, not even with NUL in them', 'id: 1\ndata:a\n\nid:a\0b\ndata:b\n\n', ['a', 'b']],
  [
    'format-field-parsing: only a field called exactly "data" counts',
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    ['\0\n 2\n1\n3\n\n4'],
  ],
  ['format-field-retry-bogus: a bogus retry does no harm', 'retry:3000\nretry:1000x\ndata:x\n\n', ['x']],
  [
    'format-field-unknown: unknown fields and loose text are skipped',
    'data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n',
    ['test\n\ntest'],
  ],
  [
    'format-leading-space: one space after the colon is dropped, no tab',
    'data:\ttest\rdata: \ndata:test\n\n',
    ['\ttest\n\ntest'],
  ],
  ['format-newlines: line ends may be mixed', 'data:test\r\ndata\ndata:test\r\n\r\n', ['test\n\ntest']],
  ['format-null-character: NUL is a character like others', 'data:\0\n\n\n\n', ['\0']],
  ['format-utf-8: text is UTF-8', 'data:ok…é👩‍👩‍👧\n\n', ['ok…é👩‍👩‍👧']],
];

test.each(FORMAT_CASES)('%s', (_name, stream, events, open) => {
  for (const [chunking, pieces] of chunkings([stream])) {
    expect({ chunking, ...decode(pieces) }).toEqual({ chunking, events, open });
  }
});

test.each([
  ['LF', '\n'],
  ['CR', '\r'],
  ['CRLF', '\r\n'],
])('reads the same events whether lines end in %s or anything else', (_name, lineEnd) => {
  const stream = [': hi', 'data: {"a":', 'data: 1}', '', 'event: x', 'data: [DONE]', '', ''].join(lineEnd);
  for (const [chunking, pieces] of chunkings([stream])) {
    expect({ chunking, ...decode(pieces) }).toEqual({ chunking, events: ['{"a":\n1}', '[DONE]'], open: undefined });
  }
});

test('decodes the same wherever the bytes are cut', () => {
  const text = fc.stringMatching(/^[^\r\n\0\uFEFF]{0,12}$/u);
  const line = fc.oneof(
    text.map((value) => `data: ${value}`),
    text.map((value) => `: ${value}`),
    fc.constantFrom('', '', 'data', 'event: x', 'id: 7', 'retry: 5', 'data:é👋🏽', '\uFEFFdata: x'),
  );
  const stream = fc
    .tuple(fc.boolean(), fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 20 }))
    .map(([hasMark, lines]) => bytes((hasMark ? '\uFEFF' : '') + lines.map((pair) => pair.join('')).join('')));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(300), { maxLength: 12 }), (whole, cuts) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
      const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
      expect(decode(pieces)).toEqual(decode([whole]));
    }),
    { numRuns: 500 },
  );
});

test('turns broken UTF-8 into replacement characters, the same in every chunking', () => {
  const stream = Uint8Array.of(...bytes('data: a'), 0xff, 0xe2, 0x82, ...bytes('b\n\n'));
  for (const [, pieces] of chunkings([stream])) expect(decode(pieces).events).toEqual(['a\uFFFD\uFFFDb']);
});

test('keeps nothing open when the stream ends between events', () => {
  expect(decode([bytes('data: 1\n\n: bye\n')])).toEqual({ events: ['1'], open: undefined });
});

test('shows at the end what a character cut in half has become', () => {
  expect(decode([bytes('data: 1\n\ndata: 2'), Uint8Array.of(0xf0, 0x9f)])).toEqual({ events: ['1'], open: '2\uFFFD' });
});

test('takes an event of exactly the limit and refuses one that is larger', () => {
  const decoder = createSseDecoder(20);
  expect(decoder.push(bytes(`data: ${'x'.repeat(14)}`))).toEqual([]);
  expect(decoder.push(bytes('\n\n'))).toEqual(['x'.repeat(14)]);

  expect(() => createSseDecoder(20).push(bytes(`data: ${'x'.repeat(15)}`))).toThrow(
    new GatewayError('provider_unavailable', 'The provider sent an event above the size limit'),
  );
});

test('refuses an oversized event that comes in small pieces, or as many lines', () => {
  const endless = createSseDecoder(1000);
  endless.push(bytes('data: '));
  expect(() => {
    for (let i = 0; i < 2000; i += 1) endless.push(bytes('x'));
  }).toThrow('above the size limit');

  const manyLines = createSseDecoder(1000);
  expect(() => {
    for (let i = 0; i < 2000; i += 1) manyLines.push(bytes('data: x\n'));
  }).toThrow('above the size limit');
});

test('reads a line of several hundred thousand characters the same wherever it is cut', () => {
  const long = 'é👋🏽x'.repeat(60_000);
  const stream = `data: ${long}\n\n: ${'-'.repeat(200_000)}\r\ndata: 2\n\ndata: ${long}`;
  for (const [chunking, pieces] of chunkings([stream])) {
    const { events, open } = decode(pieces);
    expect({ chunking, isWhole: events[0] === long && open === long, rest: events.slice(1) }).toEqual({
      chunking,
      isWhole: true,
      rest: ['2'],
    });
  }
});

test('holds no text of a long line that has not ended', () => {
  const decoder = createSseDecoder();
  const piece = bytes('x'.repeat(16 * 1024));
  decoder.push(bytes('data: '));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 900; count += 1) decoder.push(piece.subarray());
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  const [data] = decoder.push(bytes('\n\n'));
  expect(data).toHaveLength(900 * piece.byteLength);
});

test.each([': ', 'x: ', 'dat'])('passes over a long line that begins with “%s”, as it is no data', (start) => {
  const decoder = createSseDecoder(200_000);
  decoder.push(bytes(start));
  for (let taken = 0; taken < 1_000_000; taken += 16_384) decoder.push(bytes('x'.repeat(16_384)));
  expect(decoder.push(bytes('\n\ndata: 1\n\n'))).toEqual(['1']);
});

test('refuses a long line as soon as it exceeds the limit', () => {
  const decoder = createSseDecoder(200_000);
  const piece = bytes('x'.repeat(16 * 1024));
  decoder.push(bytes('data: '));
  let taken = 0;
  expect(() => {
    for (; taken < 2_000_000; taken += piece.byteLength) decoder.push(piece);
  }).toThrow('above the size limit');
  expect(taken).toBeLessThan(300_000);
});

test('does not hold endless lines that cannot be data', () => {
  const decoder = createSseDecoder(1000);
  for (let i = 0; i < 2000; i += 1) expect(decoder.push(bytes(i === 0 ? ': x' : 'x'))).toEqual([]);
  expect(decoder.push(bytes('\ndata: 1\n\n'))).toEqual(['1']);
});

test('counts a limit for each event, not for the stream', () => {
  const decoder = createSseDecoder(20);
  for (let i = 0; i < 100; i += 1) expect(decoder.push(bytes('data: 0123456789\n\n'))).toEqual(['0123456789']);
});
