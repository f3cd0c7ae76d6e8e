import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ToolFailure } from '@model-gateway/core';
import { createWebAccess } from '@model-gateway/node/web';
import { OpenRouter } from '@openrouter/sdk';
import type { ChatRequest, ChatResult, ChatStreamChunk } from '@openrouter/sdk/models';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readAll } from '../support/async/read-all.ts';
import { createPdf } from '../support/clients/create-pdf.ts';
import { type Host, startHost } from '../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY, type TestGateway } from '../support/gateways/test-gateway.ts';
import { createReplayTransport } from '../support/upstreams/scripted-transport.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';

let upstream: ScriptedUpstream;
let searching: Server;
let gateway: TestGateway;
let host: Host;
let openrouter: OpenRouter;
let openai: OpenAI;

beforeAll(async () => {
  searching = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://engine').searchParams.get('q');
    const results = [{ url: 'https://trees.example/', title: 'Trees', content: `Found for ${query}` }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
  });
  await new Promise<void>((resolve) => searching.listen(0, '127.0.0.1', resolve));
  const { port } = searching.address() as AddressInfo;
  const web = createWebAccess({ search: { engine: 'searxng', baseUrl: `http://127.0.0.1:${port}` } });
  const page = { headers: { 'content-type': 'text/html' }, pieces: ['<title>Oak</title><p>An <b>oak</b> page</p>'] };
  upstream = await startScriptedUpstream();
  gateway = createTestGateway(upstream, {
    models: ['first-tool', 'read', 'text'].map((name) => ({
      id: `test/${name}`,
      context_length: 32_768,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      endpoints: [
        {
          provider: 'scripted',
          providerModel: name,
          pricing: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000005' },
        },
      ],
    })),
    web: { ...web, transport: createReplayTransport(page) },
    moderator: { name: 'Test', moderate: (text) => ({ isFlagged: text.includes('bad'), reasons: ['bad'] }) },
    serverTools: [
      {
        name: 'lookup',
        description: 'Looks up.',
        inputSchema: { type: 'object' },
        open: () => ({
          run({ word }) {
            if (typeof word !== 'string') throw new ToolFailure('word: must be text');
            return { content: `${word} means tree` };
          },
        }),
      },
    ],
  });
  host = await startHost('node', gateway.gateway);
  openrouter = new OpenRouter({ apiKey: TEST_KEY, serverURL: host.apiUrl, retryConfig: { strategy: 'none' } });
  openai = new OpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await host.close();
  await upstream.close();
  searching.close();
});

const says = (input: object): ChatRequest['messages'] => [{ role: 'user', content: JSON.stringify(input) }];
const send = async (chatRequest: ChatRequest): Promise<ChatResult> =>
  (await openrouter.chat.send({ chatRequest: { ...chatRequest, stream: false } })) as ChatResult;
const contentOf = ({ choices }: ChatResult): string => choices[0]?.message.content as string;
const resultOf = (result: ChatResult): Record<string, unknown> =>
  JSON.parse(contentOf(result).replace('call_1: ', '')) as Record<string, unknown>;

test('the OpenRouter client has the time told, and usage of both turns', async () => {
  const result = await send({
    model: 'test/first-tool',
    messages: says({}),
    tools: [{ type: 'openrouter:datetime', parameters: { timezone: 'Europe/Oslo' } }],
  });
  expect(resultOf(result)).toMatchObject({ timezone: 'Europe/Oslo' });
  expect(result.choices[0]?.finishReason).toBe('stop');
  expect(result.usage).toMatchObject({ promptTokens: 24, completionTokens: 16, totalTokens: 40, cost: 0.000052 });
});

test('the OpenRouter client streams one response of two turns', async () => {
  const stream = await openrouter.chat.send({
    chatRequest: {
      model: 'test/first-tool',
      messages: says({ query: 'oaks' }),
      tools: [{ type: 'openrouter:web_search', parameters: { maxResults: 3 } }],
      stream: true,
    },
  });
  const chunks = await readAll(stream as AsyncIterable<ChatStreamChunk>);
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  expect(text).toContain('Found for oaks');
  expect(chunks.filter(({ choices }) => choices[0]?.finishReason != null)).toHaveLength(1);
  expect(chunks.at(-1)?.usage).toMatchObject({ promptTokens: 24 });
  expect(chunks.some(({ choices }) => choices[0]?.delta.toolCalls !== undefined)).toBe(false);
});

test('the OpenRouter client stops the tools when it says', async () => {
  await send({
    model: 'test/first-tool',
    messages: says({ query: 'chat' }),
    tools: [{ type: 'openrouter:experimental__search_models' }],
    stopServerToolsWhen: [{ type: 'step_count_is', stepCount: 1 }],
  });
  expect(upstream.calls.at(-1)?.body).toMatchObject({ tool_choice: 'none' });
});

test('the OpenRouter client has a page read', async () => {
  const result = await send({
    model: 'test/first-tool',
    messages: says({ url: 'https://trees.example/oak' }),
    tools: [{ type: 'openrouter:web_fetch' }],
  });
  expect(resultOf(result)).toMatchObject({ title: 'Oak', content: 'An oak page', status: 'completed' });
});

test('the OpenRouter client searches first by a plugin, and is moderated by another', async () => {
  const searched = await send({ model: 'test/read', messages: says({}), plugins: [{ id: 'web' }] });
  expect(contentOf(searched)).toContain('https://trees.example/');
  const flagged = send({
    model: 'test/read',
    messages: [{ role: 'user', content: 'bad' }],
    plugins: [{ id: 'moderation' }],
  });
  await expect(flagged).rejects.toMatchObject({ statusCode: 403 });
});

test('the OpenRouter client has JSON mended, and a long conversation shortened', async () => {
  const healed = await send({
    model: 'test/read',
    messages: [{ role: 'user', content: 'hi' }],
    responseFormat: { type: 'json_object' },
    plugins: [{ id: 'response-healing' }],
  });
  // The model has written a sentence around it.
  expect(JSON.parse(contentOf(healed))).toEqual([{ role: 'user', content: 'hi' }]);
  const messages = Array.from({ length: 60 }, (_, index) => ({
    role: 'user' as const,
    content: `${index}: ${'word '.repeat(800)}`,
  }));
  await send({ model: 'test/read', messages, plugins: [{ id: 'context-compression', engine: 'middle-out' }] });
  const sent = upstream.calls.at(-1)?.body.messages ?? [];
  expect(sent.length).toBeLessThan(messages.length);
  expect([sent[0], sent.at(-1)]).toEqual([messages[0], messages.at(-1)]);
});

test('the OpenAI client mixes its own functions with a tool of the gateway, streamed', async () => {
  const tools = [
    { type: 'service:lookup' },
    { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } },
  ] as unknown as OpenAI.ChatCompletionTool[];
  const stream = openai.chat.completions.stream({
    model: 'test/first-tool',
    messages: [{ role: 'user', content: '{"word":"oak"}' }],
    tools,
  });
  // The caller's own function comes first, so it is the one that is called.
  const message = await stream.finalMessage();
  expect(message.tool_calls).toMatchObject([{ function: { name: 'weather', arguments: '{"word":"oak"}' } }]);

  const completion = await openai.chat.completions.create({
    model: 'test/first-tool',
    messages: [{ role: 'user', content: '{"word":"oak"}' }],
    tools: tools.slice(0, 1),
  });
  expect(completion.choices[0]?.message.content).toBe('call_1: oak means tree');
});

test('the OpenAI client sends a PDF to a model that reads none', async () => {
  const file_data = `data:application/pdf;base64,${Buffer.from(createPdf(['Oaks are trees'])).toString('base64')}`;
  const completion = await openai.chat.completions.create({
    model: 'test/read',
    messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'oak.pdf', file_data } }] }],
  });
  expect(completion.choices[0]?.message.content).toContain('Oaks are trees');
  expect(completion.choices[0]?.message.annotations).toMatchObject([{ type: 'file', file: { name: 'oak.pdf' } }]);
});

test('the OpenAI client gets a response of before from the cache, for nothing', async () => {
  const ask = () =>
    openai.chat.completions
      .create(
        { model: 'test/text', messages: [{ role: 'user', content: 'cached?' }] },
        { headers: { 'x-openrouter-cache': 'true' } },
      )
      .withResponse();
  const first = await ask();
  const calls = upstream.calls.length;
  const again = await ask();
  expect(upstream.calls).toHaveLength(calls);
  expect(again.response.headers.get('x-openrouter-cache-status')).toBe('HIT');
  expect(again.response.headers.get('x-openrouter-cache-source-id')).toBe(first.data.id);
  expect(again.data.choices[0]?.message.content).toBe(first.data.choices[0]?.message.content);
  expect(again.data.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, cost: 0 });
});
