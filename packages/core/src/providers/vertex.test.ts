import type { ChatCall, ChatChunk } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { chunkings } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { script as anthropic } from '../../../../test/support/wires/anthropic.ts';
import { script as google } from '../../../../test/support/wires/google.ts';
import { parseChatCompletion } from '../wire/chat-request.ts';
import { createProvider } from './create-provider.ts';
import type { WholeProvider } from './provider.ts';

const ADDRESS = 'https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4/publishers';
const TIMEOUTS = { headersMs: 1000, nonStreamMs: 1000, idleMs: 1000, totalMs: 1000 };
const JSON_TYPE = { 'content-type': 'application/json' };

const toCall = (providerModel: string, more: Partial<ChatCall> = {}): ChatCall => ({
  generationId: 'gen-1-abcdefghijkl',
  request: parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }),
  providerModel,
  stream: false,
  supportedParameters: null,
  signal: new AbortController().signal,
  timeouts: TIMEOUTS,
  ...more,
});

/** A provider of Vertex AI whose tokens are numbered. */
async function create(preset: 'vertex' | 'vertex-anthropic', transport: ReturnType<typeof createReplayTransport>) {
  let tokens = 0;
  const [wire, publisher] =
    preset === 'vertex' ? (['google', 'google'] as const) : (['anthropic', 'anthropic'] as const);
  const provider: WholeProvider = await createProvider({
    slug: 'vertex',
    name: 'Vertex',
    preset,
    wire,
    baseUrl: `${ADDRESS}/${publisher}`,
    accessToken: async () => `ya29.token-${(tokens += 1)}`,
    transport,
    downloads: transport,
  });
  return provider;
}

async function read(chat: AsyncIterable<readonly ChatChunk[]> | undefined): Promise<string> {
  let text = '';
  for await (const batch of chat ?? []) for (const { choices } of batch) text += choices[0]?.delta.content ?? '';
  return text;
}

describe('Vertex AI', () => {
  test('serves Gemini over the wire google, with a token asked for before each request', async () => {
    const { whole, events = [] } = google.responses.text;
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(whole)] });
    const provider = await create('vertex', transport);
    for (const number of [1, 2]) {
      expect((await provider.chatWhole?.(toCall('gemini-2.5-pro')))?.choices[0]?.delta.content).toMatch(/^Hello/);
      expect(transport.latest().request).toMatchObject({
        url: `${ADDRESS}/google/models/gemini-2.5-pro:generateContent`,
        headers: { authorization: `Bearer ya29.token-${number}` },
      });
    }
    expect(transport.latest().request.headers).not.toHaveProperty('x-goog-api-key');
    for (const [chunking, pieces] of chunkings(events.map((event) => google.toEvent(event)))) {
      const streamed = createReplayTransport({ pieces });
      const chat = (await create('vertex', streamed)).chat?.(toCall('gemini-2.5-pro', { stream: true }));
      expect(await read(chat), chunking).toMatch(/^Hello there/);
      expect(streamed.latest().request.url).toMatch(/:streamGenerateContent\?alt=sse$/);
    }
  });

  test('offers no call whose form is another there', async () => {
    const provider = await create('vertex', createReplayTransport());
    const { listModels, embeddings, batches, video, image, countTokens } = provider;
    expect([listModels, embeddings, batches, video, image, countTokens]).toEqual(Array(6).fill(undefined));
  });

  test('serves Claude over the wire anthropic, with the model in the address and the version in the body', async () => {
    const { whole, events = [] } = anthropic.responses.text;
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify(whole)] });
    const provider = await create('vertex-anthropic', transport);
    expect((await provider.chatWhole?.(toCall('claude-sonnet-4-5@20250929')))?.usage?.completion_tokens).toBe(8);
    expect(transport.latest().request.url).toBe(`${ADDRESS}/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict`);
    expect(transport.latest().sent).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 10,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    expect(transport.latest().request.headers).toEqual({
      authorization: 'Bearer ya29.token-1',
      'content-type': 'application/json',
    });
    for (const [chunking, pieces] of chunkings(events.map((event) => anthropic.toEvent(event)))) {
      const streamed = createReplayTransport({ pieces });
      const chat = (await create('vertex-anthropic', streamed)).chat?.(toCall('claude-sonnet-4-5', { stream: true }));
      expect(await read(chat), chunking).toMatch(/^Hello there/);
      expect(streamed.latest().request.url).toMatch(/:streamRawPredict$/);
      expect(streamed.latest().sent['stream']).toBe(true);
    }
  });

  test('passes a request of Messages on as it came, with its betas', async () => {
    const body = { model: 'x', messages: [{ role: 'user', content: 'Hi' }], context_management: { edits: [] } };
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'context-management-2025-06-27' };
    const native = { form: 'messages' as const, body, headers, read: parseChatCompletion };
    const pieces = [JSON.stringify(anthropic.responses.text.whole)];
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces });
    await (await create('vertex-anthropic', transport)).chatWhole?.(toCall('claude-opus-4-6', { native }));
    expect(transport.latest().sent).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 10,
      messages: body.messages,
      context_management: { edits: [] },
    });
    const { 'anthropic-version': version, 'anthropic-beta': betas } = transport.latest().request.headers;
    expect([version, betas]).toEqual([undefined, 'context-management-2025-06-27']);
  });

  test.each(['chat', 'messages'])(
    'marks the end of a conversation in place of the whole request (%s)',
    async (form) => {
      const mark = { type: 'ephemeral' };
      const body = { messages: [{ role: 'user', content: 'Hi' }], cache_control: mark };
      const native = { form: 'messages' as const, body, headers: {}, read: parseChatCompletion };
      const pieces = [JSON.stringify(anthropic.responses.text.whole)];
      const transport = createReplayTransport({ headers: JSON_TYPE, pieces });
      const call = toCall('claude-opus-4-6', {
        request: parseChatCompletion({ model: 'm', ...body }),
        ...(form === 'messages' && { native }),
      });
      await (await create('vertex-anthropic', transport)).chatWhole?.(call);
      expect(transport.latest().sent).not.toHaveProperty('cache_control');
      expect(transport.latest().sent['messages']).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: mark }] },
      ]);
    },
  );

  test('sends nothing without a token, and hides tokens that upstream repeats', async () => {
    const transport = createReplayTransport({
      status: 400,
      headers: JSON_TYPE,
      pieces: ['{"error":{"message":"ya29.token-1"}}'],
    });
    const refused = (await create('vertex', transport)).chatWhole?.(toCall('gemini-2.5-pro'));
    await expect(refused).rejects.toMatchObject({ message: '[redacted]' });
  });
});
