import { expect, test } from 'vitest';

import { chooseTestModel } from './choose-test-model.ts';

test.each([
  [['text-embedding-3-small', 'whisper-1', 'gpt-5', 'gpt-5-mini'], 'gpt-5-mini'],
  [['dall-e-3', 'gpt-5'], 'gpt-5'],
  [['models/gemini-2.5-pro', 'models/gemini-2.5-flash-image', 'models/gemini-2.5-flash'], 'models/gemini-2.5-flash'],
  [['meta/llama-3.3-70b-instruct', 'meta/llama-3.1-8b-instruct'], 'meta/llama-3.1-8b-instruct'],
  [['only-embeddings'], 'only-embeddings'],
  [[], ''],
])('of %j a test request goes to %j', (models, chosen) => expect(chooseTestModel(models)).toBe(chosen));
