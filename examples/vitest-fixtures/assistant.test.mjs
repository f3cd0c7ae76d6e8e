import { createGatewayTest } from '@model-gateway/fixtures/vitest';
import OpenAI from 'openai';
import { expect } from 'vitest';

import { createAssistant } from './assistant.mjs';
import { OPTIONS } from './gateway-options.mjs';

const test = createGatewayTest(OPTIONS);

test('summarises a text', async ({ gateway }) => {
  const summary = await createAssistant(gateway).summarise('The ship was late because of the fog.');
  expect(summary.split(' ')).toHaveLength(5);
  expect(gateway.requests()).toMatchObject([
    { path: '/api/v1/chat/completions', body: { model: 'openai/gpt-4o-mini' } },
  ]);
});

test('tells a story piece by piece, the same ones each time', async ({ gateway }) => {
  const tell = () => Array.fromAsync(createAssistant(gateway).tell('a lighthouse'));
  const pieces = await tell();
  expect(pieces.length).toBeGreaterThan(5);
  expect(await tell()).toEqual(pieces);
});

const lenient = createGatewayTest({ ...OPTIONS, mode: 'replay', allowMisses: true });

lenient('shows what differs where no fixture answers', async ({ gateway }) => {
  const failing = createAssistant(gateway).summarise('The ship was early because of the wind.');
  const error = await failing.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error.error.metadata.nearest).toMatch(/^openai\/chat-completions\//);
  expect(error.error.metadata.differences).toEqual([
    'messages.0.content: expected "Summarise in five words: The ship was late because of the fog.", ' +
      'got "Summarise in five words: The ship was early because of the wind."',
  ]);
  expect(gateway.misses()).toHaveLength(1);
});

lenient('fails as it should when the provider does', async ({ gateway }) => {
  const client = new OpenAI({
    baseURL: gateway.baseUrl,
    apiKey: gateway.apiKey,
    maxRetries: 0,
    defaultHeaders: { 'x-fixture-fault': 'status=429' },
  });
  const request = {
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user', content: 'Tell a very short story of a lighthouse.' }],
  };
  await expect(client.chat.completions.create({ ...request, stream: true })).rejects.toBeInstanceOf(
    OpenAI.RateLimitError,
  );
});
