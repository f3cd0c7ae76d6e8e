import { expect, test } from 'vitest';

import { writeImages } from './write-images.ts';

test('writes the same JSON as is written elsewhere', () => {
  for (const body of [
    { created: 1, data: [{ b64_json: 'AAAA', media_type: 'image/png' }, { b64_json: 'BBBB' }], usage: { cost: null } },
    { data: [] },
    { b64_json: '' },
    { b64_json: 'AAAA', model: '"b64_json":""', more: { b64_json: 7 } },
  ]) {
    expect(writeImages(body)).toBe(JSON.stringify(body));
  }
});
