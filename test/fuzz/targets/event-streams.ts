import fc from 'fast-check';
import { expect } from 'vitest';

import { createSseDecoder } from '../../../packages/core/src/providers/kit/sse-decoder.ts';
import { cutInto, cuts } from '../../support/formats/damaged-bytes.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

/** What an event stream is made of, and what it is not. */
const piece = fc.oneof(
  fc.constantFrom('data:', 'data: ', 'data', 'event: x', 'id: 1', 'retry: 5', ':', '\n', '\r', '\r\n', '\n\n', '\r\r'),
  fc.constantFrom('{"a":1}', '[DONE]', '\u{FEFF}', 'é☕😀', '\0', ' '),
  fc.string({ maxLength: 12 }),
);
const bytes = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { maxLength: 40 }).map((all) => new TextEncoder().encode(all.join(''))) },
  fc.uint8Array({ maxLength: 200 }),
);

function decode(pieces: readonly Uint8Array[]): unknown {
  const decoder = createSseDecoder();
  return { events: pieces.flatMap((each) => [...decoder.push(each)]), open: decoder.end() };
}

export const eventStreams: FuzzTarget = {
  name: 'event-streams',
  promise: 'A stream of events is read alike however it is cut into pieces',
  runs: 1500,
  prepare: async () =>
    fc.property(bytes, cuts, (stream, places) => {
      const whole = decode([stream]);
      expect(decode(cutInto(stream, places))).toEqual(whole);
      expect(decode(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual(whole);
    }),
};
