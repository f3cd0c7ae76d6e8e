import { expect, test } from 'vitest';

import { toJsonBody } from './json-body.ts';

const BASE64 = 'QUJD+/=='.repeat(64 * 1024);
const decode = (bytes: unknown): string => new TextDecoder().decode(bytes as Uint8Array);

const audio = (data: string): object => ({ type: 'input_audio', input_audio: { data, format: 'wav' } });
const toBody = (...content: object[]): Record<string, unknown> => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'Grüße "beide"\n' },
    { role: 'user', content },
  ],
  stream: false,
});

test('long media go into the body as they are, without a text of the whole', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}` } };
  const body = toBody(audio(BASE64), { type: 'text', text: 'Was ist es? 🎵' }, image);
  const written = toJsonBody(body);
  expect(written).toBeInstanceOf(Uint8Array);
  expect(decode(written) === JSON.stringify(body)).toBe(true);
});

test.each([
  ['a quote', '"'],
  ['a backslash', '\\'],
  ['a line feed', '\n'],
  ['half of a character', '\ud83c'],
  ['an umlaut', 'ü'],
])('a long text with %s is escaped, and media beside it are whole', (_, character) => {
  const body = toBody(audio(BASE64), { type: 'text', text: `${BASE64}${character}` });
  expect(decode(toJsonBody(body)) === JSON.stringify(body)).toBe(true);
});

test('a body without long media is a text', () => {
  expect(toJsonBody(toBody(audio('QUJD')))).toBe(JSON.stringify(toBody(audio('QUJD'))));
  expect(typeof toJsonBody(toBody({ type: 'text', text: `${BASE64}\n` }))).toBe('string');
});

test.each([
  ['Gemini', { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'audio/wav', data: BASE64 } }] }] }],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: BASE64 }] }] }],
  ['messages', { messages: [{ content: [{ type: 'image', source: { type: 'base64', data: BASE64 } }] }] }],
])('media are found where %s has them', (_, body) => {
  const written = toJsonBody(body);
  expect(written).toBeInstanceOf(Uint8Array);
  expect(decode(written) === JSON.stringify(body)).toBe(true);
});
