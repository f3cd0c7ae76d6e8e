import { expect, test } from 'vitest';

import { readLines } from './read-lines.ts';

const bytes = new TextEncoder().encode('{"a":"é🎬"}\n\n{"b":2}\nend');

async function read(size: number): Promise<string[]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
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
  expect(await read(size)).toEqual(['{"a":"é🎬"}', '{"b":2}', 'end']);
});
