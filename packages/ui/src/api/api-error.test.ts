import { expect, test } from 'vitest';

import { toApiError, toRemedy } from './api-error.ts';

test('reads message, type and fields of an error', () => {
  const error = toApiError(
    400,
    {
      error: {
        code: 400,
        message: 'Two things',
        metadata: {
          error_type: 'invalid_request',
          issues: [
            { path: 'limit', message: 'too small' },
            { path: ['a', 0], message: 'wrong' },
          ],
        },
      },
    },
    '7',
  );
  expect([error.message, error.errorType, error.retryAfterSeconds]).toEqual(['Two things', 'invalid_request', 7]);
  expect(error.issues).toEqual([
    { path: 'limit', message: 'too small' },
    { path: 'a.0', message: 'wrong' },
  ]);
});

test.each([null, '<html>', [], { error: 'text' }, { error: { metadata: 3, message: {} } }])(
  'makes do with %o',
  (body) => {
    expect(toApiError(502, body)).toMatchObject({
      message: 'The gateway responded with 502',
      errorType: 'unknown',
      issues: [],
    });
  },
);

test.each([0, 400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 418])(
  'knows what to do about %i',
  (status) => {
    expect(toRemedy(toApiError(status, null)).length).toBeGreaterThan(5);
  },
);

test('says what to do about a call that no endpoint may take', () => {
  const toError = (rule: string) =>
    toApiError(404, { error: { message: 'No endpoint', metadata: { excluded: [{ endpoint: 'a', rule }] } } });
  expect(toRemedy(toError('cost_unknown'))).toContain('Set the model’s price');
  expect(toRemedy(toError('data_collection'))).toContain('choose another model');
});

test('names the wait of a rate limit', () => {
  expect(toRemedy(toApiError(429, null, '12'))).toBe('Try again in 12 seconds.');
});
