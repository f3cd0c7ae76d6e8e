import type { ModelDefinition } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { chunksOf, createCoreGateway, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const MODELS: readonly ModelDefinition[] = [
  {
    id: 'acme/talk',
    architecture: { input_modalities: ['text', 'audio'], output_modalities: ['text', 'audio'] },
    endpoints: [
      {
        provider: 'acme',
        providerModel: 'talk-1',
        pricing: { prompt: '0.000001', completion: '0.000002', audio: '0.00001', audio_output: '0.00002' },
      },
    ],
  },
];

const toEvent = (chunk: object): string => `data: ${JSON.stringify({ id: 'c', choices: [], ...chunk })}\n\n`;
const say = (audio: object): string => toEvent({ choices: [{ index: 0, delta: { audio } }] });
const STREAM = [
  say({ id: 'audio_1', transcript: 'Hello' }),
  say({ data: 'AAAA' }),
  say({ data: 'BBBB', transcript: ' there' }),
  say({ expires_at: 1_800_000_000 }),
  toEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  toEvent({
    usage: {
      prompt_tokens: 50,
      completion_tokens: 30,
      total_tokens: 80,
      prompt_tokens_details: { audio_tokens: 40 },
      completion_tokens_details: { audio_tokens: 20 },
    },
  }),
  'data: [DONE]\n\n',
].join('');

test.each([1, 40, 10_000])('streams a spoken completion, records and charges it, in pieces of %i', async (size) => {
  const upstream = createReplayTransport({ pieces: STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [] });
  const core = createCoreGateway(upstream, { models: MODELS, logging: { inputOutput: true } });
  const response = await core.chat({
    model: 'acme/talk',
    stream: true,
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'pcm16' },
    messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }] }],
  });
  const chunks = chunksOf(await readFrames(response).rest());
  const audio = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta['audio'] ?? []));
  expect(audio).toEqual([
    { id: 'audio_1', transcript: 'Hello' },
    { data: 'AAAA' },
    { data: 'BBBB', transcript: ' there' },
    { expires_at: 1_800_000_000 },
  ]);
  expect(upstream.latest().sent).toMatchObject({
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'pcm16' },
    messages: [{ content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }] }],
  });
  // 10 tokens of text in, 40 of audio; 10 of text out, 20 of audio.
  expect(core.store.appended[0]?.record.generation).toMatchObject({
    total_cost: 0.00083,
    num_input_audio_prompt: 1,
    cost_known: true,
  });
  expect(core.store.appended[0]?.content).toMatchObject({ output: { completion: 'Hello there' } });
});
