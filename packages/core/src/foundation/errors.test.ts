import { expect, test } from 'vitest';

import { firstValue } from '../http/request.ts';
import { toErrorResponse, toJsonResponse } from '../http/response.ts';
import { type ErrorCode, GatewayError, toErrorBody, toGatewayError } from './errors.ts';

test.each<[ErrorCode, number, string]>([
  ['invalid_request', 400, 'invalid_request'],
  ['context_length_exceeded', 400, 'context_length_exceeded'],
  ['content_policy_violation', 400, 'content_policy_violation'],
  ['authentication', 401, 'authentication'],
  ['payment_required', 402, 'payment_required'],
  ['permission_denied', 403, 'permission_denied'],
  ['not_found', 404, 'not_found'],
  ['method_not_allowed', 405, 'invalid_request'],
  ['timeout', 408, 'timeout'],
  ['payload_too_large', 413, 'payload_too_large'],
  ['unsupported_media_type', 415, 'invalid_request'],
  ['unprocessable', 422, 'unprocessable'],
  ['rate_limit_exceeded', 429, 'rate_limit_exceeded'],
  ['headers_too_large', 431, 'invalid_request'],
  ['client_closed_request', 499, 'invalid_request'],
  ['internal', 500, 'server'],
  ['provider_unavailable', 502, 'provider_unavailable'],
  ['provider_overloaded', 503, 'provider_overloaded'],
])('maps %s to %d and the type %s', (code, status, errorType) => {
  const error = new GatewayError(code, 'why', { metadata: { provider_name: 'Acme' } });
  const { status: sentStatus, body } = toErrorResponse(error);
  expect(sentStatus).toBe(status);
  const { error: sent } = JSON.parse(body) as { error: { code: number; message: string; metadata: object } };
  expect(sent.code).toBe(status);
  expect(sent.metadata).toMatchObject({ error_type: errorType });
});

test('sends the message and the public facts of an error, and never its cause', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.5:5432');
  const error = new GatewayError('rate_limit_exceeded', 'Too fast', {
    cause,
    metadata: { provider_name: 'Acme', error_type: 'mine' },
  });
  expect(toErrorBody(error)).toEqual({
    code: 429,
    message: 'Too fast',
    metadata: { provider_name: 'Acme', error_type: 'rate_limit_exceeded' },
  });
  expect(toErrorResponse(error).body).not.toContain('10.0.0.5');
});

test('says nothing about an internal error', () => {
  const error = new GatewayError('internal', 'secret detail', { metadata: { table: 'keys' } });
  expect(toErrorBody(error)).toEqual({
    code: 500,
    message: 'Internal Server Error',
    metadata: { error_type: 'server' },
  });
});

test.each([[new TypeError('x is undefined')], ['text'], [undefined], [{ code: 'not_found' }]])(
  'takes %s for an internal error',
  (thrown) => {
    const error = toGatewayError(thrown);
    expect(error).toMatchObject({ code: 'internal', status: 500 });
    expect(error.cause).toBe(thrown);
  },
);

test('keeps a gateway error as it is', () => {
  const error = new GatewayError('not_found', 'x');
  expect(toGatewayError(error)).toBe(error);
  expect(error).toMatchObject({ name: 'GatewayError', upstreamStatus: null, retryAfterSeconds: undefined });
  expect('cause' in error).toBe(false);
});

test('rounds a wait up to whole seconds, because half of it would be too early', () => {
  const response = toErrorResponse(new GatewayError('rate_limit_exceeded', 'x', { retryAfterSeconds: 1.2 }), {
    'x-generation-id': 'g',
  });
  expect(response.headers).toEqual({
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-generation-id': 'g',
    'retry-after': '2',
  });
  expect(toErrorResponse(new GatewayError('rate_limit_exceeded', 'x')).headers).not.toHaveProperty('retry-after');
});

test('responds with JSON and the given headers', () => {
  expect(toJsonResponse(201, { a: [1] }, { 'x-a': 'b' })).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json', 'x-a': 'b' },
    body: '{"a":[1]}',
  });
});

test('reads the first of several values of a header', () => {
  expect(firstValue('x')).toBe('x');
  expect(firstValue(['x', 'y'])).toBe('x');
  expect(firstValue([])).toBeUndefined();
  expect(firstValue(undefined)).toBeUndefined();
});
