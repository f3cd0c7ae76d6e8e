import { expect, test } from 'vitest';

import { type ErrorCode, isCallersMistake } from '../../foundation/errors.ts';
import { readRetryAfterSeconds } from '../../foundation/transport.ts';
import { toUpstreamError, type UpstreamErrorFacts } from './upstream-error.ts';

const fail = (facts: Partial<UpstreamErrorFacts>): ReturnType<typeof toUpstreamError> =>
  toUpstreamError({ providerName: 'Acme', status: null, secrets: [], ...facts });

const OF_STATUS: readonly [upstreamStatus: number | null, code: ErrorCode, status: number][] = [
  [301, 'provider_unavailable', 502],
  [307, 'provider_unavailable', 502],
  [400, 'invalid_request', 400],
  [401, 'provider_unavailable', 502],
  [402, 'provider_unavailable', 502],
  [403, 'provider_unavailable', 502],
  [404, 'not_found', 404],
  [405, 'invalid_request', 400],
  [408, 'timeout', 408],
  [409, 'invalid_request', 400],
  [410, 'not_found', 404],
  [413, 'payload_too_large', 413],
  [415, 'invalid_request', 400],
  [418, 'provider_unavailable', 502],
  [422, 'unprocessable', 422],
  [429, 'rate_limit_exceeded', 429],
  [500, 'provider_unavailable', 502],
  [502, 'provider_unavailable', 502],
  [503, 'provider_overloaded', 503],
  [504, 'provider_unavailable', 502],
  [529, 'provider_overloaded', 503],
  [null, 'provider_unavailable', 502],
];

test.each(OF_STATUS)('maps an upstream status %s to %s', (upstreamStatus, code, status) => {
  const error = fail({ status: upstreamStatus, message: 'what upstream said' });
  expect({ code: error.code, status: error.status, upstreamStatus: error.upstreamStatus }).toEqual({
    code,
    status,
    upstreamStatus,
  });
  expect(error.metadata).toEqual({ provider_name: 'Acme' });
});

test.each([401, 402])('never passes an upstream %d on as the caller’s own, nor what it said', (status) => {
  const error = fail({
    status,
    message: 'Incorrect API key provided: sk-proj-1234567890',
    providerCode: 'invalid_api_key',
  });
  expect(error.status).toBe(502);
  expect(error.message).toContain("refused the gateway's own account");
  expect(error.message).not.toContain('sk-proj');
});

test.each([
  ['context_length_exceeded', 400, 'context_length_exceeded'],
  ['rate_limit_exceeded', 500, 'rate_limit_exceeded'],
  ['rate_limit_error', null, 'rate_limit_exceeded'],
  ['overloaded_error', 529, 'provider_overloaded'],
  ['server_overloaded', 500, 'provider_overloaded'],
  ['something_else', 422, 'unprocessable'],
])('believes the code %s more than the status %s', (providerCode, status, code) => {
  const error = fail({ status, providerCode });
  expect(error.code).toBe(code);
  expect(error.metadata).toEqual({ provider_name: 'Acme', provider_code: providerCode });
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'takes the code %s for a name like any other',
  (providerCode) => {
    expect(fail({ status: 400, providerCode })).toMatchObject({ code: 'invalid_request', status: 400 });
  },
);

test('passes on what the caller can act upon, and says the rest itself', () => {
  expect(fail({ status: 400, message: "Unsupported value: 'temperature'" }).message).toBe(
    "Unsupported value: 'temperature'",
  );
  expect(fail({ status: 429, message: 'Rate limit reached for gpt-x: 3 requests a minute' }).message).toContain(
    '3 requests a minute',
  );
  expect(fail({ status: 500, message: 'NullPointerException at Foo.java' }).message).toBe(
    'Acme returned an error (HTTP 500)',
  );
  expect(fail({ status: null, message: 'oops' }).message).toBe('Acme returned an error');
  expect(fail({ status: 404, message: 'no deployment xyz-internal' }).message).toBe(
    'Acme does not serve this model at the moment',
  );
  expect(fail({ status: 408 }).message).toBe('Acme took too long to respond');
  expect(fail({ status: 429 }).message).toBe('Acme is limiting the rate of requests');
  expect(fail({ status: 503 }).message).toBe('Acme is overloaded');
});

test.each([
  ['<html><body>Bad Request</body></html>'],
  ['<!DOCTYPE html>'],
  ['Error: < script>alert(1)'],
  ['bad </b>'],
  ['<?xml version="1.0"?><Error/>'],
])('never relays markup: %s', (message) => {
  expect(fail({ status: 400, message }).message).toBe('Acme returned an error (HTTP 400)');
});

test.each([
  ['its key', 'bad key s3cr3t-value!', 'bad key [redacted]'],
  ['its key twice', 's3cr3t-value! and s3cr3t-value!', '[redacted] and [redacted]'],
  ['a bearer header', 'got Authorization: Bearer abc.def', 'got Authorization: Bearer [redacted]'],
  ['a basic header', 'got basic dXNlcjpwYXNz', 'got basic [redacted]'],
  ['a foreign key', 'key sk-abcdefghijkl is wrong', 'key [redacted] is wrong'],
  ['a Groq key', 'key gsk_abcdefghijkl is wrong', 'key [redacted] is wrong'],
  ['a Google key', 'key AIzaSyA1234567890abcdefghij is wrong', 'key [redacted] is wrong'],
  ['a loopback address', 'see http://localhost:8080/debug?x=1 now', 'see [address] now'],
  ['a private address', 'dial http://10.0.0.7:9000/v1/x failed', 'dial [address] failed'],
  ['an IPv6 address', 'dial http://[fd00::1]:9000/v1 failed', 'dial [address] failed'],
  ['a bare address', 'connect to 192.168.1.20:443 refused', 'connect to [address] refused'],
  ['a host without a domain', 'at http://vllm-worker-3:8000/x failed', 'at [address] failed'],
  [
    'an internal host',
    'at https://llm.svc.cluster.local/x and https://llm.prod.internal',
    'at [address] and [address]',
  ],
  [
    'an address of version 6',
    'dial [fd00::1]:9000 and fe80:0:0:0:1:2:3:4 failed',
    'dial [address] and [address] failed',
  ],
  [
    'a host that is no address of the web',
    'lookup vllm.svc.cluster.local: no such host',
    'lookup [address]: no such host',
  ],
  ['the scheme of another protocol', 'redis://cache:6379/0 is down', '[address] is down'],
  [
    'a loopback address of version 6',
    'dial ::1 or [::1]:9000, then fe80::1%eth0',
    'dial [address] or [address], then [address]',
  ],
  ['an address of version 4 within version 6', 'from ::ffff:10.0.0.9 refused', 'from [address] refused'],
  ['a picture', 'Bad image data:image/png;base64,iVBORw0KGgo= (too small)', 'Bad image [data] (too small)'],
  ['a GitLab key', 'key glpat-abcdefghijklmnopqrst is wrong', 'key [redacted] is wrong'],
  ['a Slack key', 'key xoxb-123456789012-abcdefgh is wrong', 'key [redacted] is wrong'],
  ['a newer GitHub key', 'key github_pat_11ABCDEFG0abcdef is wrong', 'key [redacted] is wrong'],
  ['a password', 'login with password=hunter2hunter2 failed', 'login with password=[redacted] failed'],
  ['a storage key', 'AccountKey=abcdEFGH1234567890==;x=1', 'AccountKey=[redacted];x=1'],
  ['a token header', 'got Authorization: Token abcdefgh12345678', 'got Authorization: Token [redacted]'],
  ['a header without a scheme', 'got authorization: abcdefgh12345678', 'got authorization: [redacted]'],
  ['a key in a query', 'GET https://example.com/v1?key=abc123&x=1', 'GET https://example.com/v1?key=[redacted]&x=1'],
  ['a key in a header', 'x-api-key: abcdef123456 is wrong', 'x-api-key: [redacted] is wrong'],
  ['a token of three parts', 'token eyJhbGciOi.eyJzdWIi.c2ln expired', 'token [redacted] expired'],
  ['a terminal’s control characters', 'a\u001b[31m\r\nb\u0007\u2028c\u202ed', 'a [31m b c d'],
])('leaves out %s', (_name, message, shown) => {
  expect(fail({ status: 400, message, secrets: ['s3cr3t-value!', ''] }).message).toBe(shown);
});

test.each([
  'std::vector::at failed at 12:30:45',
  'The token limit is 4096: shorten the prompt, or set a password policy',
])('leaves in what only looks like it: %s', (message) => {
  expect(fail({ status: 400, message }).message).toBe(message);
});

test('leaves public addresses in, because they help', () => {
  const message = 'See https://platform.openai.com/docs/guides/rate-limits, or http://example.com.';
  expect(fail({ status: 429, message }).message).toBe(message);
});

test.each([
  ['named by OpenAI’s code', { status: 400, providerCode: 'content_policy_violation', message: 'Unsafe' }, ['Unsafe']],
  ['named by a code', { status: 400, providerCode: 'content_filter', message: 'Filtered' }, ['Filtered']],
  ['named by a code alone', { status: 400, providerCode: 'data_inspection_failed' }, ['data_inspection_failed']],
  ['with the status of a refusal', { status: 403, providerCode: 'content_policy_violation', message: 'No' }, ['No']],
  ['with reasons', { status: 403, reasons: ['hate', 'for sk-abcdefghijkl'] }, ['hate', 'for [redacted]']],
])('is a 403 with reasons where moderation objects, %s', (_name, facts, reasons) => {
  const error = fail(facts);
  expect(error).toMatchObject({ code: 'moderation_flagged', status: 403, metadata: { reasons } });
  expect(isCallersMistake(error.code)).toBe(true);
  expect(error.message).not.toMatch(/operator|account/);
});

test('says why upstream forbids the account of the gateway', () => {
  const { status, message } = fail({ status: 403, message: 'Country not supported for org-abcdefghijkl' });
  expect(status).toBe(502);
  expect(message).toMatch(/the operator must check .* It said: Country not supported for \[redacted\]$/);
});

test('shows the error itself, without secrets, addresses, media and markup, where the caller has to know why', () => {
  const error = {
    message: 'at http:\\/\\/10.0.0.7:9000\\/v1 with s3cr3t-value!',
    page: '<b>no</b>',
    picture: 'QUJD'.repeat(500),
    'seen on 10.0.0.7': [1, null, true],
  };
  const body = JSON.stringify({ error }).replaceAll('\\\\/', '\\/');
  const shown = {
    error: {
      message: 'at [address] with [redacted]',
      page: '[markup]',
      picture: '[2000 characters]',
      'seen on [address]': [1, null, true],
    },
  };
  for (const status of [400, 403, 413, 422, 429]) {
    const { raw } = fail({ status, body, secrets: ['s3cr3t-value!'] }).metadata ?? {};
    expect(JSON.parse(String(raw))).toEqual(shown);
  }
  for (const status of [401, 402, 404, 500, 503, null]) {
    expect(fail({ status, body, secrets: [] }).metadata).not.toHaveProperty('raw');
  }
});

test('leaves out of the error itself what stands under the name of a secret', () => {
  const body = {
    headers: { 'X-API-Key': 'plain-words', Authorization: ['a', 'b'], cookie: 'sid=1' },
    token: 'abc',
    tokens: 9,
  };
  const { raw } = fail({ status: 400, body: { ...body, key: 'temperature' } }).metadata ?? {};
  expect(JSON.parse(String(raw))).toEqual({
    headers: { 'X-API-Key': '[redacted]', Authorization: '[redacted]', cookie: '[redacted]' },
    token: '[redacted]',
    tokens: 9,
    key: 'temperature',
  });
});

test.each([
  ['words', 'too fast for key sk-abcdefghijkl', 'too fast for key [redacted]'],
  ['a page', '<html>no</html>', undefined],
  ['nothing', '', undefined],
  ['five thousand words', 'word '.repeat(5000), `${'word '.repeat(400)}…`],
  ['more depth than anyone reads', '['.repeat(60_000) + ']'.repeat(60_000), undefined],
])('makes the best of a refusal that is %s', (_name, body, raw) => {
  expect(fail({ status: 429, body }).metadata?.['raw']).toBe(raw);
});

test('cuts what is long, and says its own words when nothing is left', () => {
  const { message } = fail({ status: 400, message: 'x'.repeat(5000) });
  expect(message).toBe(`${'x'.repeat(500)}…`);
  expect(fail({ status: 400, message: ' \n\t ' }).message).toBe('Acme returned an error (HTTP 400)');
});

test('cleans the provider’s code like its message', () => {
  expect(fail({ status: 400, providerCode: 'for sk-abcdefghijkl' }).metadata).toEqual({
    provider_name: 'Acme',
    provider_code: 'for [redacted]',
  });
});

test('hands the wait on', () => {
  expect(fail({ status: 429, retryAfterSeconds: 7 }).retryAfterSeconds).toBe(7);
});

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['2', 2],
  ['0', 0],
  ['3600', 3600],
  ['3601', 3600],
  ['1000000000000', 3600],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
  ['Fri, 01 Jan 2027 00:00:00 GMT', 3600],
  ['Wed, 31 Dec 2025 23:59:59 GMT', undefined],
  ['-1', undefined],
  ['abc', undefined],
  ['', undefined],
  ['NaN', undefined],
  ['Infinity', undefined],
])('reads Retry-After "%s" as %s', (text, seconds) => {
  expect(readRetryAfterSeconds({ 'retry-after': text }, NOW)).toBe(seconds);
});

test.each([
  ['1500', 1.5],
  ['0', 0],
  ['99999999999', 3600],
  ['-5', undefined],
])('lets retry-after-ms "%s" win', (text, seconds) => {
  expect(readRetryAfterSeconds({ 'retry-after-ms': text, 'retry-after': '9' }, NOW)).toBe(seconds);
});

test('falls back to Retry-After when retry-after-ms is nonsense', () => {
  expect(readRetryAfterSeconds({ 'retry-after-ms': 'soon', 'retry-after': '9' }, NOW)).toBe(9);
  expect(readRetryAfterSeconds({ 'retry-after-ms': '', 'retry-after': '9' }, NOW)).toBe(9);
});

test('222: counts a date from the clock of its sender, whatever the clock here says', () => {
  const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:10 GMT' };
  expect(readRetryAfterSeconds(headers, NOW - 86_400_000)).toBe(20);
  expect(readRetryAfterSeconds({ ...headers, date: 'nonsense' }, NOW)).toBe(30);
});

test('knows no wait where none is named, nor from a date without a clock', () => {
  expect(readRetryAfterSeconds({}, NOW)).toBeUndefined();
  expect(readRetryAfterSeconds({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, Number.NaN)).toBeUndefined();
});
