import { expect, test } from 'vitest';

import { createGoogleUsage } from './google-completion-reader.ts';

function read(...metadata: unknown[]): unknown {
  const usage = createGoogleUsage();
  for (const each of metadata) usage.add(each);
  return usage.read(false);
}

test('counts thoughts as a part of the completion, and cached tokens once', () => {
  expect(
    read({
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 5,
      totalTokenCount: 115,
    }),
  ).toEqual({
    prompt_tokens: 100,
    completion_tokens: 15,
    total_tokens: 115,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 5 },
  });
});

test('reads what sound, video and images took', () => {
  const details = (counts: object): object[] =>
    Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount: tokenCount as number }));
  expect(
    read({
      promptTokenCount: 100,
      promptTokensDetails: [
        ...details({ TEXT: 10, AUDIO: 60, VIDEO: 20, IMAGE: 7 }),
        { modality: 'AUDIO', tokenCount: 10 },
        null,
      ],
      cacheTokensDetails: details({ TEXT: 3, AUDIO: 12 }),
      candidatesTokenCount: 1300,
      candidatesTokensDetails: details({ TEXT: 5, IMAGE: 1290, AUDIO: 5 }),
    }),
  ).toEqual({
    prompt_tokens: 100,
    completion_tokens: 1300,
    total_tokens: 1400,
    prompt_tokens_details: { audio_tokens: 70, video_tokens: 20, image_tokens: 7, cached_audio_tokens: 12 },
    completion_tokens_details: { audio_tokens: 5, image_tokens: 1290 },
  });
});

test('lets later events revise counts, and keeps what they leave out', () => {
  expect(
    read(
      { promptTokenCount: 9, thoughtsTokenCount: 250, totalTokenCount: 259 },
      { promptTokenCount: 9, candidatesTokenCount: 3, thoughtsTokenCount: 256 },
      { promptTokenCount: 9, candidatesTokenCount: 29, totalTokenCount: 294 },
    ),
  ).toMatchObject({ prompt_tokens: 9, completion_tokens: 285, completion_tokens_details: { reasoning_tokens: 256 } });
});

test('takes the output from the total where candidates are not counted', () => {
  expect(read({ promptTokenCount: 9, totalTokenCount: 20 })).toMatchObject({ completion_tokens: 11 });
  expect(read({ promptTokenCount: 9, thoughtsTokenCount: 4, totalTokenCount: 20 })).toMatchObject({
    completion_tokens: 11,
  });
  expect(read({ promptTokenCount: 9, thoughtsTokenCount: 4 })).toMatchObject({ completion_tokens: 4 });
  expect(read({ promptTokenCount: 9, toolUsePromptTokenCount: 6, totalTokenCount: 20 })).toMatchObject({
    prompt_tokens: 15,
    completion_tokens: 5,
  });
});

test('counts what Google’s own tools gave the model as a part of the prompt', () => {
  expect(
    read({
      promptTokenCount: 151,
      candidatesTokenCount: 1089,
      totalTokenCount: 20_689,
      toolUsePromptTokenCount: 18_329,
      thoughtsTokenCount: 1120,
    }),
  ).toEqual({
    prompt_tokens: 18_480,
    completion_tokens: 2209,
    total_tokens: 20_689,
    completion_tokens_details: { reasoning_tokens: 1120 },
  });
});

test.each([
  ['nothing', []],
  ['no prompt', [{ candidatesTokenCount: 5 }]],
  ['no output', [{ promptTokenCount: 9, totalTokenCount: 9 }]],
  ['a prompt that is no count', [{ promptTokenCount: -1, candidatesTokenCount: 5 }]],
  ['another type', ['5', null, 5]],
])('knows no usage from %s', (_name, metadata) => {
  expect(read(...(metadata as unknown[]))).toBeUndefined();
});

test('treats a missing count of output as zero when the completion is empty', () => {
  const usage = createGoogleUsage();
  usage.add({ promptTokenCount: 9, totalTokenCount: 9 });
  expect(usage.read(true)).toEqual({ prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 });
});
