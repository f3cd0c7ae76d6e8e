import { expect, test } from 'vitest';

import { readEventStream, readJsonLines, readLines, type ServerSentEvent } from './read-stream.ts';

const LINES = new TextEncoder().encode('{"a":"é🎬"}\n\n{"b":2}\nend');

async function readPieces(size: number): Promise<string[]> {
  const pieces = Array.from({ length: Math.ceil(LINES.length / size) }, (_, at) =>
    LINES.slice(at * size, (at + 1) * size),
  );
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const lines: string[] = [];
  for await (const line of readLines(body)) lines.push(line);
  return lines;
}

test.each([1, 5, 1000])('reads lines from pieces of %i bytes', async (size) => {
  expect(await readPieces(size)).toEqual(['{"a":"é🎬"}', '{"b":2}', 'end']);
});

const VALUES = [{ finding: 'ü€😀' }, { data: [1, 2] }, 'last, without a line end'];
const VALUE_LINES = new TextEncoder().encode(VALUES.map((value) => JSON.stringify(value)).join('\n'));

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
  ['all at once', [VALUE_LINES]],
  ['byte by byte', [...VALUE_LINES].map((byte) => Uint8Array.of(byte))],
  [
    'in pieces of seven',
    Array.from({ length: Math.ceil(VALUE_LINES.length / 7) }, (_, at) => VALUE_LINES.slice(at * 7, at * 7 + 7)),
  ],
])('reads the same values %s', async (_, pieces) => {
  const read: unknown[] = [];
  for await (const value of readJsonLines(toBody(pieces))) read.push(value);
  expect(read).toEqual(VALUES);
});

test('a reader that leaves early cancels the body', async () => {
  let isCancelled = false;
  for await (const value of readJsonLines(toBody([VALUE_LINES, VALUE_LINES], () => (isCancelled = true)))) {
    expect(value).toEqual(VALUES[0]);
    break;
  }
  expect(isCancelled).toBe(true);
});

const TEXT =
  ': hello\n\nevent: generation\ndata: {"a":"ü€😀"}\n\ndata: one\r\ndata: two\r\n\r\nid: 1\ndata:no space\n\nevent: lonely\n\ndata: [DONE]\n\ndata: cut';

async function readAll(pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEventStream(toBody(pieces))) events.push(event);
  return events;
}

const EVENTS = new TextEncoder().encode(TEXT);

test.each([
  ['all at once', [EVENTS]],
  ['byte by byte', [...EVENTS].map((byte) => Uint8Array.of(byte))],
  [
    'in pieces of seven',
    Array.from({ length: Math.ceil(EVENTS.length / 7) }, (_, at) => EVENTS.slice(at * 7, at * 7 + 7)),
  ],
])('reads the same events %s', async (_, pieces) => {
  expect(await readAll(pieces)).toEqual([
    { event: 'generation', data: '{"a":"ü€😀"}' },
    { event: 'message', data: 'one\ntwo' },
    { event: 'message', data: 'no space' },
    { event: 'message', data: '[DONE]' },
  ]);
});

test('cancels the body when its reader leaves', async () => {
  let isCancelled = false;
  const body = toBody([EVENTS, EVENTS], () => {
    isCancelled = true;
  });
  for await (const _ of readEventStream(body)) break;
  expect(isCancelled).toBe(true);
});
