import { expect, test } from 'vitest';

import { maskQuery } from './fields.ts';

test.each([
  'key',
  'api-key',
  'apikey',
  'apiKey',
  'API_KEY',
  'token',
  'accessToken',
  'sig',
  'signature',
  'code',
  'x-auth',
])('the parameter %s is shown by its end', (name) =>
  expect(maskQuery({ [name]: 'a-credential-1234' })).toEqual({ [name]: '…1234' }),
);

test.each(['api-version', 'keyword', 'tokens', 'design', 'encoder', 'monkey', 'author', 'model', 'zip-codes'])(
  'the parameter %s is shown whole',
  (name) => expect(maskQuery({ [name]: '2024-10-21' })).toEqual({ [name]: '2024-10-21' }),
);
