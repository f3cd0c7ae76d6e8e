import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../../test/support/upstreams/scripted-transport.ts';
import type { ChatCall, WholeProvider } from '../provider.ts';
import { createOpenAiResponsesProvider, type OpenAiResponsesProviderSettings } from './openai-responses-provider.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const HELLO = { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }] };
const NATIVE = {
  form: 'responses',
  body: { input: 'Hi', novelty: 1 },
  headers: {},
  read: () => ({ messages: [] }),
} as const;

const replay = (body: object = HELLO): ScriptedTransport =>
  createReplayTransport({ headers: JSON_HEADERS, pieces: [JSON.stringify(body)] });

const providerOn = (
  transport: ScriptedTransport,
  settings: Partial<OpenAiResponsesProviderSettings> = {},
): WholeProvider =>
  createOpenAiResponsesProvider({
    slug: 'acme',
    name: 'Acme',
    baseUrl: 'https://api.acme.example/v1/',
    apiKey: 'key-of-acme',
    transport,
    ...settings,
  });

const callOf = (overrides: Partial<ChatCall> = {}): ChatCall => ({
  generationId: 'gen-1700000000-0123456789abcdef0123',
  request: { messages: [{ role: 'user', content: 'Hello' }] },
  providerModel: 'gpt-5.2',
  stream: false,
  supportedParameters: null,
  signal: new AbortController().signal,
  timeouts: { headersMs: 1, nonStreamMs: 2, idleMs: 3, totalMs: 4 },
  ...overrides,
});

test('calls /responses with the key, the headers and the query of the configuration', async () => {
  const transport = replay();
  const provider = providerOn(transport, { query: { 'api-version': 'v1' }, headers: { 'OpenAI-Project': 'p-1' } });
  await provider.chatWhole?.(callOf());
  const { request } = transport.latest();
  expect(request.url).toBe('https://api.acme.example/v1/responses?api-version=v1');
  expect(request.headers).toMatchObject({ authorization: 'Bearer key-of-acme', 'OpenAI-Project': 'p-1' });
});

test('lists its models', async () => {
  const transport = replay({ data: [{ id: 'gpt-5.2', created: 7 }] });
  expect(await providerOn(transport).listModels?.(new AbortController().signal)).toMatchObject([{ id: 'gpt-5.2' }]);
  expect(transport.latest().request.url).toBe('https://api.acme.example/v1/models');
});

test('names a user by a hash alone, in both forms of a request', async () => {
  const transport = replay();
  const request = { messages: [], user: 'ann@x.example' };
  const hash = createHash('sha256').update('acme\nann@x.example').digest('hex');
  for (const native of [undefined, NATIVE]) {
    await providerOn(transport).chatWhole?.(callOf({ request, native }));
    expect(transport.latest().sent).toMatchObject({ safety_identifier: hash });
    expect(transport.latest().request.body).not.toContain('ann@');
  }
});

test('sends a request of its own form as it came, and one of another form translated', async () => {
  const transport = replay();
  const provider = providerOn(transport);
  const own = await provider.chatWhole?.(callOf({ native: NATIVE, keepsNative: true }));
  expect(transport.latest().sent).toEqual({ model: 'gpt-5.2', input: 'Hi', novelty: 1, store: false });
  expect(own?.native).toEqual([{ type: 'whole', data: JSON.stringify(HELLO) }]);

  const other = await provider.chatWhole?.(callOf({ native: { ...NATIVE, form: 'messages' }, keepsNative: true }));
  expect(transport.latest().sent).toMatchObject({ input: [{ role: 'user', content: 'Hello' }] });
  expect(other?.native).toBeUndefined();
});
