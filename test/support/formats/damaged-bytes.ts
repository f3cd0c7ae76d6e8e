import fc from 'fast-check';

/** One thing that happens to bytes. Places are shares of their length, so that they suit bytes of any length. */
export type Damage =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'drop' | 'double' | 'zero'; readonly at: number; readonly length: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const span = fc.integer({ min: 1, max: 200 });

/** Bytes that mean something in one of the forms that are read here. */
const WORDS = [
  '\n',
  '\r\n',
  '\r',
  '\0',
  '{',
  '}',
  '"',
  '\\',
  ',',
  ':',
  'data: ',
  'null',
  '\u{FEFF}',
  '0\r\n\r\n',
  'é',
  '😀',
];

/** Anything that a disk, a network or an attacker does to bytes. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: share, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('cut' as const), at: share }),
  fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const, 'zero' as const), at: share, length: span }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: share,
    bytes: fc.oneof(
      fc.constantFrom(...WORDS).map((word): Uint8Array => new TextEncoder().encode(word)),
      fc.uint8Array({ minLength: 1, maxLength: 20 }),
    ),
  }),
);

/** A copy of the bytes with the damage done, one after the other. */
export function damaged(bytes: Uint8Array, done: readonly Damage[]): Uint8Array<ArrayBuffer> {
  let result: Buffer = Buffer.from(bytes);
  for (const each of done) {
    const at = Math.floor(each.at * result.length);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    switch (each.kind) {
      case 'flip':
        if (at < result.length) result[at] = (result[at] ?? 0) ^ (1 << each.bit);
        break;
      case 'cut':
        result = Buffer.from(before);
        break;
      case 'drop':
        result = Buffer.concat([before, after.subarray(each.length)]);
        break;
      case 'double':
        result = Buffer.concat([before, after.subarray(0, each.length), after]);
        break;
      case 'zero':
        result.subarray(at, at + each.length).fill(0);
        break;
      case 'insert':
        result = Buffer.concat([before, each.bytes, after]);
    }
  }
  return new Uint8Array(result);
}

/** Where bytes are cut into pieces, as shares of their length. */
export const cuts: fc.Arbitrary<readonly number[]> = fc.array(share, { maxLength: 6 });

/** The bytes in pieces. */
export function cutInto(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = [0, ...shares.map((each) => Math.floor(each * bytes.length)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
