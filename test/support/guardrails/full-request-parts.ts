export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Long enough to be media. */
export const BYTES = base64('\u0001\u0002 no text at all '.repeat(8));
/** With every keyword that holds text or names, and names that are words of the protocol elsewhere. */
export const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://schemas.example/order',
  $comment: 'made for this case',
  title: 'Order',
  description: 'What is ordered',
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid', description: 'Number of the order' },
    role: { type: 'string', enum: ['buyer', 'seller'], default: 'buyer', examples: ['seller'] },
    format: { type: ['string', 'null'], const: 'large' },
    url: { type: 'string', pattern: '^https://' },
    type: { anyOf: [{ $ref: '#/$defs/kind' }, { type: 'null' }] },
    data: { type: 'array', items: { type: 'string' }, prefixItems: [{ title: 'First' }], contains: { const: 'a' } },
    mode: { not: { enum: ['off'] }, contentEncoding: 'base64', contentMediaType: 'text/csv' },
    size: { type: 'object', additionalProperties: { type: 'string', description: 'A length' } },
  },
  patternProperties: { '^x-': { type: 'string', title: 'Extension' } },
  dependentRequired: { role: ['url'] },
  dependentSchemas: { url: { properties: { port: { type: 'integer', title: 'Port' } } } },
  propertyNames: { pattern: '^[a-z]+$' },
  if: { properties: { role: { const: 'seller' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword
  then: { required: ['url'] },
  $defs: { kind: { $anchor: 'kind', type: 'string', description: 'A kind' } },
  required: ['id'],
  additionalProperties: false,
  'x-note': { id: 'see below', type: 'note', url: 'none' },
};

/** For further places of a schema. */
export const SMALL = { type: 'object', properties: { id: { type: 'string', enum: ['a'] } }, required: ['id'] };

/** JSON whose names are words of the protocol, as a tool may take or return it. */
export const RECORD = {
  id: 'order-7',
  role: 'buyer',
  type: 'parcel',
  format: 'large',
  mode: 'fast',
  detail: 'fragile',
  url: 'none',
  data: 'plain',
  signature: 'Ann',
  nested: { ttl: 'week', media_type: 'paper', list: ['one', { call_id: 'two' }] },
};
