import { expect, test } from 'vitest';

import { describeRefusal } from './connect-queries.ts';

const EXPECTED = { tool: 'Zed', baseUrl: 'http://127.0.0.1:8855/api/v1', model: 'acme/chat' };
const REFUSAL = { method: 'POST', path: '/api/v1/chat/completions', status: 400, message: '', key_hash: 'abc' };

test.each([
  [{ status: 401, key_hash: null }, 'because of its key', 'copy the whole key again'],
  [{ status: 429, key_hash: null }, 'because of its key', 'copy the whole key again'],
  [{ status: 404, key_hash: null, path: '/api/v1/v1/chat/completions' }, 'which does not exist', EXPECTED.baseUrl],
  [
    { status: 404, key_hash: null, path: '/api/v1/audio/translations' },
    'the API for translations',
    'Let Zed use another service',
  ],
  [{ status: 404, key_hash: null, path: '/api/v1/assistants' }, 'the API for assistants', 'another service'],
  [{ status: 400, message: '“acme/chta” is not a known model' }, 'refused the request', 'acme/chat'],
  [{ status: 400, message: 'messages: must be given' }, 'refused the request', 'the message above'],
  [{ status: 402 }, 'refused the request', 'Raise the limit'],
  [{ status: 403 }, 'refused the request', 'Guardrails'],
  [{ status: 429 }, 'refused the request', 'Wait a moment'],
])('%j is explained in words, with what to do', (change, title, advice) => {
  const told = describeRefusal({ ...REFUSAL, ...change }, EXPECTED);
  expect(told.title).toContain(title);
  expect(told.advice).toContain(advice);
});
