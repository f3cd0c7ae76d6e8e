import { expect, test } from 'vitest';

import { readModalities } from './read-modalities.ts';

test.each<[string, object, object]>([
  [
    'a gateway',
    { architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] } },
    { in: 'text,image', out: 'text' },
  ],
  ['a gateway’s embeddings', { architecture: { output_modalities: ['embeddings'] } }, { out: 'embeddings' }],
  ['Together', { type: 'embedding' }, { out: 'embeddings' }],
  ['Together’s chats', { type: 'chat' }, { out: 'text' }],
  ['Together’s code', { type: 'code' }, { out: 'text' }],
  ['Together’s voices', { type: 'audio' }, { out: 'speech' }],
  ['LM Studio', { object: 'model', type: 'vlm' }, { out: 'text' }],
  ['Cohere', { endpoints: ['rerank'] }, { out: 'rerank' }],
  ['Cohere’s chats', { endpoints: ['generate', 'chat', 'summarize'] }, { out: 'text' }],
  ['Infinity', { capabilities: ['embed'] }, { out: 'embeddings' }],
  ['Mistral', { capabilities: { completion_chat: false, moderation: true } }, { out: 'moderation' }],
  ['Hugging Face', { task: 'automatic_speech_recognition' }, { out: 'transcription' }],
  ['OpenAI', { object: 'model', owned_by: 'openai' }, {}],
  ['a list with words of its own', { type: 'model', capabilities: ['vision'], architecture: {} }, {}],
  ['a broken list', { type: 7, endpoints: [null], architecture: 'x' }, {}],
])('reads what a model is for from the list of %s', (_, fields, { in: inputs, out }: { in?: string; out?: string }) => {
  expect(readModalities(fields as Record<string, unknown>)).toEqual({
    ...(out !== undefined && { outputModalities: out.split(',') }),
    ...(inputs !== undefined && { inputModalities: inputs.split(',') }),
  });
});
