import { expect, test } from 'vitest';

import { estimateUsage } from './texts.ts';

test('counts about four characters of English a token, and four tokens around each message', () => {
  const messages = [
    { role: 'system' as const, content: 'x'.repeat(40) },
    { role: 'user' as const, content: 'x'.repeat(41) },
  ];
  expect(estimateUsage(messages, 'x'.repeat(400))).toEqual({
    prompt_tokens: 4 + 10 + 4 + 11,
    completion_tokens: 100,
    total_tokens: 129,
    estimated: true,
  });
});

test('counts other scripts closer to a token a character', () => {
  expect(estimateUsage([], '漢字'.repeat(50)).completion_tokens).toBe(75);
});

test('counts the text among parts, and nothing for what has none', () => {
  const messages = [
    {
      role: 'user' as const,
      content: [
        { type: 'text' as const, text: 'x'.repeat(8) },
        { type: 'image_url' as const, image_url: { url: 'data:,' } },
      ],
    },
    { role: 'assistant' as const, content: null },
    { role: 'assistant' as const },
  ];
  expect(estimateUsage(messages, '')).toMatchObject({ prompt_tokens: 4 + 3 + 4 + 4, completion_tokens: 0 });
});
