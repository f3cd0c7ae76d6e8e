import { expect, test } from 'vitest';

import { readEventStream, type ServerSentEvent } from './read-event-stream.ts';

const TEXT =
  ': hello\n\nevent: generation\ndata: {"a":"ü€😀"}\n\ndata: one\r\ndata: two\r\n\r\nid: 1\ndata:no space\n\nevent: lonely\n\ndata: [DONE]\n\ndata: cut';

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

async function readAll(pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEventStream(toBody(pieces))) events.push(event);
  return events;
}

const bytes = new TextEncoder().encode(TEXT);

test.each([
  ['all at once', [bytes]],
  ['byte by byte', [...bytes].map((byte) => Uint8Array.of(byte))],
  [
    'in pieces of seven',
    Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.slice(at * 7, at * 7 + 7)),
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
  const body = toBody([bytes, bytes], () => {
    isCancelled = true;
  });
  for await (const _ of readEventStream(body)) break;
  expect(isCancelled).toBe(true);
});
