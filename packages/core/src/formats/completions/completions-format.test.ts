import { expect, test } from 'vitest';

import { completionsFormat } from './completions-format.ts';

test.each([
  [{}, 'Hm.'],
  [{ reasoning: { exclude: true } }, undefined],
  [{ include_reasoning: false }, undefined],
])('reasoning that the caller excludes is not given back: %j', (fields, expected) => {
  const { encoder, request } = completionsFormat.parse({ model: 'test/model', prompt: 'Hello', ...fields }, {});
  const envelope = { id: 'gen-1', created: 1, model: 'test/model', provider: 'Up' };
  const delta = { content: 'Hi', reasoning: 'Hm.' };
  const chunk = { choices: [{ index: 0, delta, finish_reason: 'stop' as const, native_finish_reason: null }] };
  const end = { usage: undefined, citations: undefined, members: undefined };
  const streamed = Array.from(encoder.createFrames(envelope, request).encode([chunk])).join('');
  const whole = encoder.toWhole({ ...envelope, ...end, chunks: [chunk], failure: null }, request);
  const choices = [JSON.parse(String(streamed).replace('data: ', '')), whole] as {
    choices: { reasoning?: string }[];
  }[];
  expect(choices.map(({ choices: [choice] }) => choice?.reasoning)).toEqual([expected, expected]);
});
