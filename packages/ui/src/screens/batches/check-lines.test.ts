import { expect, test } from 'vitest';

import { checkLines } from './check-lines.ts';

const toStream = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

const line = (custom_id: string, change: object = {}, body: object = { model: 'demo/chat' }): string =>
  JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body, ...change });

const check = (lines: readonly string[], size = 1000) => {
  const bytes = new TextEncoder().encode(lines.join('\n'));
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  );
  return checkLines(toStream(pieces), (model) => model.startsWith('demo/'));
};

test.each([1, 13, 1000])('lines are counted by model, in pieces of %s bytes', async (size) => {
  const lines = [line('a'), '', line('b', {}, { model: 'other/ä' }), line('c', { url: '/api/v1/chat/completions' })];
  expect(await check(lines, size)).toEqual({
    total: 3,
    groups: [
      { model: 'demo/chat', endpoint: '/v1/chat/completions', lines: 2, isUnknown: false },
      { model: 'other/ä', endpoint: '/v1/chat/completions', lines: 1, isUnknown: true },
    ],
    endpoint: '/v1/chat/completions',
    problems: [],
    problemCount: 0,
  });
});

test('what the gateway would refuse is told with its line', async () => {
  const { problems, total } = await check([
    line('a'),
    '{"custom_id": ',
    '[]',
    line(''),
    line('b', { method: 'GET' }),
    line('c', { url: 7 }),
    line('d', { body: 'x' }),
    line('e', {}, {}),
    line('f', { url: '/v1/embeddings' }),
    line('g', { url: 'https://elsewhere' }),
    line('a'),
  ]);
  expect(total).toBe(11);
  expect(problems.map(({ line: number }) => number)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(problems.at(-1)?.message).toBe('custom_id “a” is already used on line 1');
});

test('a file without lines is a problem of the file, and of many problems the first hundred are told', async () => {
  expect((await check(['', ' '])).problems).toEqual([{ line: null, message: 'The file has no lines' }]);
  const many = await check(Array.from({ length: 150 }, () => '?'));
  expect([many.problems.length, many.problemCount]).toEqual([100, 150]);
});
