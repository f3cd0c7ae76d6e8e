import { expect, test } from 'vitest';

import { readErrorBody, readErrorFields } from './read-openai-error.ts';

test.each([
  ['why', { status: null, message: 'why' }],
  [null, { status: null }],
  [7, { status: null }],
  [
    { message: 'm', type: 't', code: null },
    { status: null, message: 'm', providerCode: 't' },
  ],
  [
    { message: 5, code: 'c', type: 't', status: 404 },
    { status: 404, providerCode: 'c' },
  ],
  [
    { code: '429', type: 'tokens' },
    { status: 429, providerCode: 'tokens' },
  ],
  [{ code: 200 }, { status: null }],
  [{ code: 600, status: 'INVALID_ARGUMENT' }, { status: null }],
  // Within a stream there is no other status.
  [
    { message: 'm', type: 'invalid_request_error', code: 'invalid_value' },
    { status: 400, message: 'm', providerCode: 'invalid_value' },
  ],
  [
    { message: 'm', type: 'insufficient_quota', code: 'insufficient_quota' },
    { status: 429, message: 'm', providerCode: 'insufficient_quota' },
  ],
  [
    { message: 'm', type: 'request_forbidden', code: 'c' },
    { status: 403, message: 'm', providerCode: 'c' },
  ],
  [
    'Content violates usage guidelines. Failed check: X',
    { status: null, message: 'Content violates usage guidelines. Failed check: X', providerCode: 'content_filter' },
  ],
  [
    {
      message: 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      type: 'invalid_request_error',
      code: 'invalid_prompt',
    },
    {
      status: 400,
      message: 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
      providerCode: 'content_filter',
    },
  ],
  // A gateway names the type beside a status.
  [
    { code: 400, message: 'm', metadata: { error_type: 'context_length_exceeded' } },
    { status: 400, message: 'm', providerCode: 'context_length_exceeded' },
  ],
])('reads the error fields of %j', (error, fields) => {
  expect(readErrorFields(error)).toEqual(fields);
});

test.each([
  ['OpenAI’s', '{"error":{"message":"no","type":"t","param":null,"code":"c"}}', { message: 'no', providerCode: 'c' }],
  ['a text', '{"error":"no such model"}', { message: 'no such model' }],
  ['xAI’s', '{"code":"Client specified an invalid argument","error":"no"}', { message: 'no' }],
  [
    'Cerebras’s',
    '{"message":"no","type":"t","param":"p","code":"wrong_api_format"}',
    { message: 'no', providerCode: 'wrong_api_format' },
  ],
  [
    'Mistral’s',
    '{"object":"error","message":"no","type":"t","param":null,"code":"1500"}',
    { message: 'no', providerCode: 't' },
  ],
  [
    'Mistral’s for a bad body',
    '{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","top_k"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}',
    { status: 400, message: 'body.top_k: Extra inputs are not permitted', providerCode: 'invalid_request_error' },
  ],
  ['a framework’s', '{"detail":"Not Found"}', { message: 'Not Found' }],
  ['DeepInfra’s', '{"detail":{"error":"Not authenticated"}}', { message: 'Not authenticated' }],
  [
    'a framework’s list',
    '{"detail":[{"loc":["body","x"],"msg":"bad"},{"msg":"worse"},7]}',
    { message: 'body.x: bad; worse' },
  ],
  ['a status that is a list', '{"code":[429],"status":{"toString":0},"message":"m"}', { message: 'm' }],
  ['a place that is no text', '{"detail":[{"loc":["body",{"toString":0},0],"msg":"bad"}]}', { message: 'body.0: bad' }],
  ['a message wrapped without end', `${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}`, {}],
  [
    'Nvidia’s',
    '{"status":404,"title":"Not Found","detail":"Function not found"}',
    { status: 404, message: 'Function not found' },
  ],
  ['Azure’s front door’s', '{"statusCode":401,"message":"Access denied"}', { message: 'Access denied' }],
  ['a list', '[{"error":"no"}]', {}],
  ['nothing known', '{"detail":[7],"error":null}', {}],
  ['no JSON', 'upstream connect error', {}],
])('reads the body of %s refusal', (_name, text, fields) => {
  expect(readErrorBody(text)).toEqual({ status: null, ...fields });
});
