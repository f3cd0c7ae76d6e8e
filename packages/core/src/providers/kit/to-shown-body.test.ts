import { expect, test } from 'vitest';

import { hideValues, toShownBody } from './to-shown-body.ts';

test('shows a body as it is sent, without secrets', () => {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'My key is key-of-acme, and key-of-acme again.' }],
    temperature: 0,
    stream: true,
    nothing: null,
  };
  expect(toShownBody(body, (text) => hideValues(text, ['', 'key-of-acme']))).toEqual({
    ...body,
    messages: [{ role: 'user', content: 'My key is [redacted], and [redacted] again.' }],
  });
});

test('shows how long media are, and every word of prose', () => {
  const base64 = 'QUJD'.repeat(500);
  expect(toShownBody([`data:image/png;base64,${base64}`, base64, 'QUJD'], (text) => text)).toEqual([
    'data:image/png;base64,[2000 characters]',
    '[2000 characters]',
    'QUJD',
  ]);
  const prose = 'word '.repeat(500);
  expect(toShownBody(prose, (text) => text)).toBe(prose);
});
