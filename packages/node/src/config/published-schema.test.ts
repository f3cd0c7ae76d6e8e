import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { createConfigJsonSchema } from './published-schema.ts';

test('docs/config.schema.json is what the schema says: `node scripts/write-config-schema.js` after a build renews it', () => {
  const published = new URL('../../../../docs/config.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(createConfigJsonSchema());
});

test('every field of the schema is optional down to the sections', () => {
  expect(createConfigJsonSchema()).toMatchObject({ type: 'object', additionalProperties: false });
  expect(createConfigJsonSchema()).not.toHaveProperty('required');
});

test('editors find no mistake in the other names of fields', () => {
  const { properties } = createConfigJsonSchema();
  expect(properties).toMatchObject({
    auth: {
      properties: {
        oidc: { anyOf: [{ properties: { roles: { type: 'object' } } }, { type: 'null' }] },
        proxyHeader: { type: ['string', 'null'] },
        jwt: { anyOf: [{ type: 'array' }, { type: 'object' }] },
      },
    },
    account: { properties: { byok: { properties: { feePercent: { maximum: 100 } } } } },
    byok: { properties: { feePercent: { maximum: 100 } } },
    filters: { items: { required: ['module'] } },
    store: { anyOf: [{}, { required: ['url'] }, { required: ['type'] }, { required: ['module'] }] },
    shared: { anyOf: [{}, { required: ['url'] }] },
  });
});
