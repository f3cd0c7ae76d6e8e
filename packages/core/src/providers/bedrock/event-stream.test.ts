import { GatewayError } from '@model-gateway/core';
import { EventStreamCodec } from '@smithy/core/event-streams';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { cutInto } from '../../../../../test/support/formats/damaged-bytes.ts';
import { joinPieces } from '../../foundation/transport.ts';
import { createEventStreamDecoder, toCrc32 } from './event-stream.ts';

const encoder = new TextEncoder();
const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes),
  (text) => encoder.encode(text),
);
type Headers = Parameters<typeof codec.encode>[0]['headers'];

const toMessage = (headers: Headers, body: string): Uint8Array => codec.encode({ headers, body: encoder.encode(body) });
const toEvent = (type: string, body: object): Uint8Array =>
  toMessage(
    { ':event-type': { type: 'string', value: type }, ':message-type': { type: 'string', value: 'event' } },
    JSON.stringify(body),
  );

const EVENTS = [
  toEvent('messageStart', { role: 'assistant' }),
  ...['Hello ', '你好 ', '☕'.repeat(300), ''].map((text) =>
    toEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
  ),
  toEvent('messageStop', { stopReason: 'end_turn' }),
];
const WHOLE = joinPieces(EVENTS);
const TEXTS = [
  '{"messageStart":{"role":"assistant"}}',
  ...['Hello ', '你好 ', '☕'.repeat(300), ''].map((text) =>
    JSON.stringify({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } }),
  ),
  '{"messageStop":{"stopReason":"end_turn"}}',
];

function decode(pieces: readonly Uint8Array[]): string[] {
  const decoder = createEventStreamDecoder();
  const read = pieces.flatMap((piece) => [...decoder.push(piece)]);
  expect(decoder.end()).toBeUndefined();
  return read;
}

test('what AWS’s own encoder has made is read back, whatever the cuts: 1,000 of them', () => {
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
  const property = fc.property(places, (cuts) => {
    expect(decode(cutInto(WHOLE, cuts))).toEqual(TEXTS);
  });
  fc.assert(property, { numRuns: 1000, seed: 88 });
  expect(decode(Array.from(WHOLE, (byte) => Uint8Array.of(byte)))).toEqual(TEXTS);
});

test('headers of every type are passed over, and an error has its words in headers', () => {
  const odd: Headers = {
    yes: { type: 'boolean', value: true },
    byte: { type: 'byte', value: 1 },
    short: { type: 'short', value: 2 },
    whole: { type: 'integer', value: 3 },
    bytes: { type: 'binary', value: Uint8Array.of(1, 2, 3) },
    at: { type: 'timestamp', value: new Date(0) },
    id: { type: 'uuid', value: '00000000-0000-4000-8000-000000000000' },
  };
  const text = (value: string) => ({ type: 'string', value }) as const;
  const error = { ':message-type': text('error'), ':error-code': text('InternalError'), ':error-message': text('Oh') };
  const exception = { ':message-type': text('exception'), ':exception-type': text('throttlingException') };
  expect(
    decode([toMessage({ ...odd, ...error }, ''), toMessage({ ...exception, ...odd }, '{"message":"Wait"}')]),
  ).toEqual([
    '{"exception":{"type":"InternalError","body":{"message":"Oh"}}}',
    '{"exception":{"type":"throttlingException","body":{"message":"Wait"}}}',
  ]);
});

test('a byte that was changed on its way is noticed, wherever it is', () => {
  const [, message = new Uint8Array()] = EVENTS;
  for (let at = 0; at < message.length; at += 1) {
    const damaged = message.with(at, (message[at] ?? 0) ^ 0x20);
    expect(() => createEventStreamDecoder().push(damaged), String(at)).toThrow(/checksum is wrong/);
  }
});

test('a stream that ends within a message is cut', () => {
  for (const length of [1, 11, 12, 20, WHOLE.length - 1]) {
    const decoder = createEventStreamDecoder();
    decoder.push(WHOLE.subarray(0, length));
    expect(() => decoder.end(), String(length)).toThrow('in the middle of an event');
  }
});

test('a message above the size limit is refused before it is waited for', () => {
  const prelude = new Uint8Array(12);
  const view = new DataView(prelude.buffer);
  view.setUint32(0, 0x7fffffff);
  view.setUint32(8, toCrc32(prelude.subarray(0, 8)));
  expect(() => createEventStreamDecoder().push(prelude)).toThrow(GatewayError);
});

test('the checksum of the check value is that of the standard', () => {
  expect(toCrc32(encoder.encode('123456789'))).toBe(0xcbf43926);
});
