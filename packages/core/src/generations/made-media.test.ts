import { expect, test } from 'vitest';

import { copyPieces, toMadeMedia } from './made-media.ts';

const LOGGING = { inputOutput: true, maxContentBytes: 8 * 1024 * 1024 };

async function* pieces(...lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const length of lengths) yield new Uint8Array(length).fill(length % 256);
}

async function readRest(rest: AsyncIterator<Uint8Array>): Promise<number> {
  let total = 0;
  for (;;) {
    const step = await rest.next();
    if (step.done === true) return total;
    total += step.value.byteLength;
  }
}

test('media are stored as addresses that contain them, unless they are too large together or nothing is stored', () => {
  const made = [{ mediaType: 'image/png', base64: 'AAAA' }];
  expect(toMadeMedia('image', made, LOGGING)).toEqual({
    media: [{ type: 'image', frame: null, url: 'data:image/png;base64,AAAA' }],
  });
  const large = { mediaType: 'image/png', base64: 'A'.repeat(2 * 1024 * 1024) };
  expect(toMadeMedia('image', [large, large], LOGGING)).toEqual({});
  expect(toMadeMedia('image', made, { ...LOGGING, inputOutput: false })).toEqual({});
  expect(toMadeMedia('image', made, { ...LOGGING, maxContentBytes: 6 })).toEqual({});
  expect(toMadeMedia('image', [], LOGGING)).toEqual({});
});

test.each([[[1, 1, 1, 4]], [[7]], [[3, 4]]])(
  'what is handed on is copied in pieces of %j',
  async ([first = 0, ...others]) => {
    const copied = copyPieces(new Uint8Array(first).fill(first), pieces(...others), LOGGING);
    const sum = others.reduce((total, length) => total + length, 0);
    expect(await readRest(copied.rest)).toBe(sum);
    expect(Buffer.from(copied.toBase64() ?? '', 'base64')).toHaveLength(first + sum);
  },
);

test('a sound that is too large is handed on and not copied', async () => {
  const copied = copyPieces(new Uint8Array(10), pieces(2 * 1024 * 1024, 2 * 1024 * 1024), LOGGING);
  expect(await readRest(copied.rest)).toBe(4 * 1024 * 1024);
  expect(copied.toBase64()).toBeUndefined();
});
