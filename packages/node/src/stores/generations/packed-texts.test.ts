import { expect, test } from 'vitest';

import { createPackedTexts, type TextPlace } from './packed-texts.ts';

const read = ({ slab, from, to }: TextPlace): string => slab.bytes.toString('utf8', from, to);

/** Records of one gateway, whose lengths differ. */
const textOf = (at: number): string =>
  JSON.stringify({ upstream_id: `chatcmpl-${at}`, model: 'acme/chat-1', app: 'é'.repeat(at % 50), latency: at * 7 });

test('every text is read as it was added, in any order, packed or not', () => {
  const { add } = createPackedTexts();
  const places = Array.from({ length: 3000 }, (_, at) => add(textOf(at)));
  const slabs = new Set(places.map(({ slab }) => slab));
  expect(slabs.size).toBeGreaterThan(3);
  const mixed = [...places.entries()].toSorted(([one], [other]) => (one % 53) - (other % 53));
  for (const [at, place] of mixed.slice(0, 300)) expect(read(place)).toBe(textOf(at));
});

test('texts that fill a slab to its last byte, or have no room in any, are kept whole', () => {
  const { add } = createPackedTexts();
  const texts = [
    '',
    'x'.repeat(21_845),
    'é'.repeat(21_845),
    '𝄞'.repeat(10_000),
    '漢'.repeat(21_846),
    'y'.repeat(200_000),
    'z',
  ];
  const places = texts.map((text) => add(text));
  expect(places.map(read)).toEqual(texts);
});
