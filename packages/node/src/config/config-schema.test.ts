import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { createConfigJsonSchema } from './config-schema.ts';

test('docs/config.schema.json is what the schema says: `node scripts/write-config-schema.js` after a build renews it', () => {
  const published = new URL('../../../../docs/config.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(createConfigJsonSchema());
});

test('every field of the schema is optional down to the sections', () => {
  expect(createConfigJsonSchema()).toMatchObject({ type: 'object', additionalProperties: false });
  expect(createConfigJsonSchema()).not.toHaveProperty('required');
});
