import { expect, test } from 'vitest';

import { askProvider, toChatCall } from '../../../test/support/ai-sdk/ask-provider.ts';
import { createAiSdkProvider } from './create-ai-sdk-provider.ts';

/** A model of a former version, which tells what it was given. */
const createModel = (specificationVersion: string, parts: readonly object[], given: object[] = []) => ({
  specificationVersion,
  provider: 'acme.chat',
  modelId: 'm',
  supportedUrls: {},
  doStream: async (options: object) => {
    given.push(options);
    return { stream: ReadableStream.from(parts) };
  },
});
const create = (model: object) => createAiSdkProvider({ slug: 'acme', provider: { languageModel: () => model } });

const BEGINNING = [
  { type: 'stream-start', warnings: [{ type: 'unsupported-setting', setting: 'seed' }] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Hello' },
  { type: 'text-end', id: '1' },
  { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
];
const FLAT = { inputTokens: 9, outputTokens: 4, totalTokens: 13, cachedInputTokens: 5, reasoningTokens: 2 };

test('A model of version 2 has its files, counts, warnings and reason read, and its prompt in that form', async () => {
  const given: object[] = [];
  const end = { type: 'finish', finishReason: 'length', usage: FLAT };
  const image = [{ type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAEC' } }];
  const call = toChatCall({ messages: [{ role: 'user', content: image }] });
  const asked = await askProvider(create(createModel('v2', [...BEGINNING, end], given)), call);
  expect(asked.content).toBe('Hello');
  expect(asked.chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.images ?? []))).toEqual([
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
  ]);
  expect(asked.chunks[0]?.upstream?.warnings).toEqual(['unsupported-setting: seed']);
  expect(asked.last).toMatchObject({
    choices: [{ finish_reason: 'length' }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
  });
  expect(given[0]).toMatchObject({ prompt: [{ content: [{ type: 'file', mediaType: 'image/png', data: 'AAEC' }] }] });
});

test('A stream of version 2 that was told no reason broke off', async () => {
  const end = { type: 'finish', finishReason: 'unknown', usage: FLAT };
  const asked = askProvider(create(createModel('v2', [...BEGINNING, end])), toChatCall());
  await expect(asked).rejects.toMatchObject({ code: 'provider_unavailable' });
});

test('A model of a version that is not known is refused with the versions that are', async () => {
  const asked = askProvider(create(createModel('v1', [])), toChatCall());
  await expect(asked).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('v2, v3 and v4') as string,
  });
});

test('A provider that is handed in has the members that it has models for', () => {
  const { chat, embeddings, image, rerank } = create({});
  expect([chat, embeddings, image, rerank].map((member) => member !== undefined)).toEqual([true, false, false, false]);
});
