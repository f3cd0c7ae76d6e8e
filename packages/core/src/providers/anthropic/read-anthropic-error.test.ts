import { expect, test } from 'vitest';

import { readAnthropicError } from './read-anthropic-error.ts';

test.each([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
  ['of_tomorrow_error', null],
])('knows the status of %s within a stream', (type, status) => {
  expect(readAnthropicError({ type, message: 'm' }, null)).toEqual({ status, message: 'm', providerCode: type });
});

test('prefers the status of the response where there is one', () => {
  expect(readAnthropicError({ type: 'api_error', message: 'm' }, 503)).toMatchObject({ status: 503 });
});

test.each([
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease one of them',
])('distinguishes a context that is too long from other bad requests: %s', (message) => {
  const error = { type: 'invalid_request_error', message };
  expect(readAnthropicError(error, 400)).toEqual({ status: 400, message, providerCode: 'context_length_exceeded' });
  expect(readAnthropicError(error, null)).toMatchObject({ status: 400, providerCode: 'context_length_exceeded' });
});

test("takes an empty account for the gateway's own affair, not for a bad request", () => {
  const message = 'Your credit balance is too low to access the API.';
  expect(readAnthropicError({ type: 'invalid_request_error', message }, 400)).toMatchObject({
    status: 402,
    providerCode: 'billing_error',
  });
});

test.each([
  ['no', { status: 500, message: 'no' }],
  [undefined, { status: 500 }],
  [null, { status: 500 }],
  [{}, { status: 500 }],
  [{ type: 5, message: {} }, { status: 500 }],
])('makes the best of %j', (error, fields) => {
  expect(readAnthropicError(error, 500)).toEqual(fields);
});
