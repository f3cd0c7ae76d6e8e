import { expect, test } from 'vitest';

import { chunkings } from '../../../../test/support/upstreams/chunkings.ts';
import { readText } from './transport.ts';

async function* bodyOf(pieces: readonly Uint8Array[], onLeave?: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } finally {
    onLeave?.();
  }
}

test.each(chunkings(['{"a":"', 'é👩‍👩‍👧', '…"}']))('reads text that is not ASCII, %s', async (_name, pieces) => {
  expect(await readText(bodyOf(pieces))).toBe('{"a":"é👩‍👩‍👧…"}');
});

test('marks a character that the end cut in half', async () => {
  expect(await readText(bodyOf([Uint8Array.of(0x61, 0xe2, 0x82)]))).toBe('a\uFFFD');
});

test('stops above the limit, keeps what it has and leaves the body', async () => {
  let hasLeft = false;
  let pulled = 0;
  const endless = (function* () {
    for (;;) {
      pulled += 1;
      yield new Uint8Array(100).fill(0x78);
    }
  })();
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* endless;
    } finally {
      hasLeft = true;
    }
  }
  expect((await readText(body(), 250)).length).toBe(300);
  expect({ hasLeft, pulled }).toEqual({ hasLeft: true, pulled: 3 });
});

test('passes the failure of a body on', async () => {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(0x61);
    throw new Error('reset');
  }
  await expect(readText(body())).rejects.toThrow('reset');
});
