import { expect, test } from 'vitest';

import { parseResults, toLineResult } from './batch-results.ts';

const toStream = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

const line = (custom_id: string, rest: object): string => JSON.stringify({ id: `r-${custom_id}`, custom_id, ...rest });

const DONE = {
  response: {
    status_code: 200,
    request_id: 'gen-1',
    body: { model: 'demo/chat', usage: { cost: 0.25 } },
  },
  error: null,
};

test('a result says how its call went, what it cost and which generation it is', () => {
  expect(toLineResult(line('a', DONE))).toEqual({
    id: 'r-a',
    customId: 'a',
    status: 200,
    generationId: 'gen-1',
    costUsd: 0.25,
    model: 'demo/chat',
    error: null,
  });
  const refused = {
    response: { status_code: 404, request_id: '', body: { error: { code: 404, message: 'No model' } } },
  };
  expect(toLineResult(line('b', refused))).toMatchObject({ status: 404, generationId: null, error: 'No model' });
  const never = { response: null, error: { code: 'batch_cancelled', message: 'It was cancelled' } };
  expect(toLineResult(line('c', never))).toMatchObject({ status: null, error: 'It was cancelled' });
  expect([toLineResult(''), toLineResult('[1]'), toLineResult('{')]).toEqual([undefined, undefined, undefined]);
});

test.each([1, 7, 100_000])(
  'results are read in pieces of %s bytes, the last line without an end, too',
  async (size) => {
    const bytes = new TextEncoder().encode([line('ä', DONE), line('b', DONE)].join('\n'));
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    const { rows, isCut } = await parseResults(toStream(pieces));
    expect(rows.map(({ customId }) => customId)).toEqual(['ä', 'b']);
    expect(isCut).toBe(false);
  },
);

test('no more results are read than a page can show', async () => {
  const many = new TextEncoder().encode(`${line('x', DONE)}\n`.repeat(2500));
  const { rows, isCut } = await parseResults(toStream([many]));
  expect([rows.length, isCut]).toEqual([2000, true]);
});
