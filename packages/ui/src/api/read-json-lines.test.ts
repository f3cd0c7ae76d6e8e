import { expect, test } from 'vitest';

import { readJsonLines } from './read-json-lines.ts';

const VALUES = [{ finding: 'ü€😀' }, { data: [1, 2] }, 'last, without a line end'];
const bytes = new TextEncoder().encode(VALUES.map((value) => JSON.stringify(value)).join('\n'));

function toBody(pieces: readonly Uint8Array[], onCancel = (): void => undefined): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: onCancel,
  });
}

test.each([
  ['all at once', [bytes]],
  ['byte by byte', [...bytes].map((byte) => Uint8Array.of(byte))],
  [
    'in pieces of seven',
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.slice(at * 7, at * 7 + 7)),
  ],
])('reads the same values %s', async (_, pieces) => {
  const read: unknown[] = [];
  for await (const value of readJsonLines(toBody(pieces))) read.push(value);
  expect(read).toEqual(VALUES);
});

test('a reader that leaves early cancels the body', async () => {
  let isCancelled = false;
  for await (const value of readJsonLines(toBody([bytes, bytes], () => (isCancelled = true)))) {
    expect(value).toEqual(VALUES[0]);
    break;
  }
  expect(isCancelled).toBe(true);
});
