import { expect, test } from 'vitest';

import { createLineBuffer, isLineBeginning, isWholeLines, recordOf, salvageRecords, toLine } from './record-line.ts';

const withoutNewline = (line: Buffer): Buffer => line.subarray(0, -1);
const texts = (records: readonly Buffer[]): string[] => records.map(String);

test('a line is valid JSON and gives back its record', () => {
  const line = toLine('{"name":"Grüße 🎬"}');
  expect(JSON.parse(line.toString())).toEqual({
    crc32: expect.stringMatching(/^[0-9a-f]{8}$/),
    record: { name: 'Grüße 🎬' },
  });
  expect(recordOf(withoutNewline(line))?.toString()).toBe('{"name":"Grüße 🎬"}');
});

test('the checksum is the usual CRC-32 over the bytes of the record', () => {
  expect(toLine('123456789').toString()).toBe('{"crc32":"cbf43926","record":123456789}\n');
});

test('a buffer holds the same bytes as single lines, however long they are', () => {
  const records = ['{}', JSON.stringify({ text: '🎬é'.repeat(100_000) }), '{"a":1}'];
  const buffer = createLineBuffer();
  const lengths = records.map((record) => buffer.add(record));
  const lines = records.map(toLine);
  expect(lengths).toEqual(lines.map((line) => line.length));
  expect(Buffer.concat(lines).equals(buffer.bytes.subarray(0, buffer.length))).toBe(true);
  buffer.clear();
  expect(buffer.length).toBe(0);
});

test('a record given in pieces makes the same line as in one', () => {
  const whole = createLineBuffer();
  const pieces = createLineBuffer();
  const text = JSON.stringify('🎬é'.repeat(100_000));
  whole.add(`{"text":${text}}`);
  whole.add('{"a":1}');
  const lengths = [pieces.add('{"text":', text, '}'), pieces.add('{"a":', '1}')];
  expect(lengths.reduce((sum, length) => sum + length)).toBe(whole.length);
  expect(Buffer.compare(pieces.bytes.subarray(0, pieces.length), whole.bytes.subarray(0, whole.length))).toBe(0);
});

test.each([1, 1000, 100_000])(
  'a record whose pieces are made one by one makes the same line, %i characters each',
  (length) => {
    const text = JSON.stringify('🎬é'.repeat(100_000));
    const made = function* (): Generator<string> {
      for (let at = 0; at < text.length; at += 3 * length) yield text.slice(at, at + 3 * length);
    };
    const buffer = createLineBuffer();
    buffer.add('{"a":1}');
    buffer.add('{"text":', made(), '}');
    buffer.add('{"b":2}');
    const expected = Buffer.concat(['{"a":1}', `{"text":${text}}`, '{"b":2}'].map(toLine));
    expect(Buffer.compare(buffer.bytes.subarray(0, buffer.length), expected)).toBe(0);
  },
);

test('a record of which a piece cannot be made is left out, and the lines around it stay', () => {
  const buffer = createLineBuffer();
  const made = function* (): Generator<string> {
    yield 'x'.repeat(1_000_000);
    throw new Error('The disk is gone');
  };
  buffer.add('{"a":1}');
  expect(() => buffer.add('{"text":"', made(), '"}')).toThrow('The disk is gone');
  buffer.add('{"b":2}');
  const expected = Buffer.concat(['{"a":1}', '{"b":2}'].map(toLine));
  expect(Buffer.compare(buffer.bytes.subarray(0, buffer.length), expected)).toBe(0);
});

test('a buffer keeps the room of lines of some megabytes, and lets go of that of a huge one', () => {
  const buffer = createLineBuffer();
  const roomAfter = (characters: number): number => {
    buffer.add('"', ['x'.repeat(characters)], '"');
    buffer.clear();
    return buffer.bytes.length;
  };
  const room = roomAfter(4_000_000);
  expect(room).toBeGreaterThan(4_000_000);
  const { bytes } = buffer;
  expect(roomAfter(4_000_000)).toBe(room);
  expect(buffer.bytes).toBe(bytes);
  expect(roomAfter(20_000_000)).toBeLessThan(1_000_000);
});

test('a line of which any byte was changed gives no other record', () => {
  const line = withoutNewline(toLine('{"amount":100,"to":"me"}'));
  for (let at = 0; at < line.length; at += 1) {
    const damaged = Buffer.from(line);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    // A byte of the frame says nothing about the record, which may then be right.
    expect(recordOf(damaged)?.toString() ?? '{"amount":100,"to":"me"}').toBe('{"amount":100,"to":"me"}');
  }
});

test('a carriage return at the end of a line is overlooked', () => {
  expect(recordOf(Buffer.concat([withoutNewline(toLine('{"a":1}')), Buffer.from('\r')]))?.toString()).toBe('{"a":1}');
});

test('two good lines are found where the newline between them was lost', () => {
  const merged = Buffer.concat([
    withoutNewline(toLine('{"a":{}}')),
    Buffer.from('X'),
    withoutNewline(toLine('{"b":2}')),
  ]);
  expect(texts(salvageRecords(merged))).toEqual(['{"a":{}}', '{"b":2}']);
});

test('a good line is found before braces that do not belong to it', () => {
  const line = Buffer.concat([withoutNewline(toLine('{"a":1}')), Buffer.from('}}}')]);
  expect(texts(salvageRecords(line))).toEqual(['{"a":1}']);
});

test('a good line is found behind the torn beginning of another', () => {
  const merged = Buffer.concat([toLine('{"a":"lost"}').subarray(0, 35), withoutNewline(toLine('{"b":2}'))]);
  expect(texts(salvageRecords(merged))).toEqual(['{"b":2}']);
});

test('only the beginning of a line counts as torn', () => {
  const line = toLine('{"a":1}');
  for (let length = 1; length < line.length; length += 1) expect(isLineBeginning(line.subarray(0, length))).toBe(true);
  expect(isLineBeginning(Buffer.alloc(10))).toBe(false);
  expect(isLineBeginning(Buffer.from('garbage'))).toBe(false);
  expect(isLineBeginning(Buffer.concat([line.subarray(0, 20), Buffer.alloc(5)]))).toBe(false);
});

test('bytes are whole lines only when every line is good and ended', () => {
  const lines = Buffer.concat([toLine('{"a":1}'), toLine('{"b":2}')]);
  expect(isWholeLines(lines)).toBe(true);
  expect(isWholeLines(Buffer.concat([Buffer.from('\n'), lines]))).toBe(true);
  expect(isWholeLines(lines.subarray(0, -1))).toBe(false);
  const damaged = Buffer.from(lines);
  damaged[35] = 0x58;
  expect(isWholeLines(damaged)).toBe(false);
});
