import { expect, test } from 'vitest';

import { parseImages } from './parse-images.ts';

test('reads the same as is read elsewhere', () => {
  for (const body of [
    { created: 1, data: [{ b64_json: 'AAAA', revised_prompt: 'say "b64_json":"x"' }, { b64_json: 'BBBB' }], usage: {} },
    { data: [{ url: 'https://a.example/1.png' }, { b64_json: '' }] },
    { data: [] },
  ]) {
    expect(parseImages(JSON.stringify(body))).toEqual(body);
    expect(parseImages(JSON.stringify(body, null, 2))).toEqual(body);
  }
  const escaped = String.raw`{"data":[{"b64_json":"AA\/AA"},{"b64_json":"BB"}]}`;
  expect(parseImages(escaped)).toEqual({ data: [{ b64_json: 'AA/AA' }, { b64_json: 'BB' }] });
});

test.each(['', 'no JSON', '{"data":[{"b64_json":"AAAA', '{"data":[{"b64_json":"AAAA"]'])(
  'reads nothing of %j',
  (text) => {
    expect(parseImages(text)).toBeUndefined();
  },
);
