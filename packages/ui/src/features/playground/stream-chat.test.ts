import { expect, test } from 'vitest';

import { toAssistantTurn } from '../../screens/playground/use-bench-actions.ts';
import { createRun } from './create-run.ts';
import { type ChatPiece, toPiece } from './stream-chat.ts';

const chunk = (delta: object, rest: object = {}) =>
  toPiece({ id: 'gen-1', provider: 'Acme', choices: [{ index: 0, delta, finish_reason: null }], ...rest } as never);

const CHUNKS: readonly ChatPiece[] = [
  chunk({ role: 'assistant', content: '', reasoning: 'Hm' }),
  chunk({ content: 'A ', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm' }] }),
  chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"at"' } }] }),
  chunk({
    tool_calls: [
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'c2', function: { name: 'go', arguments: '{}' } },
    ],
  }),
  chunk({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, null] }),
  chunk({ audio: { id: 'x', data: btoa('ab'), transcript: 'said' } }),
  chunk(
    { audio: { data: btoa('c') } },
    { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.1 } },
  ),
];

async function run(pieces: readonly ChatPiece[]) {
  const one = createRun(
    (callback) => callback(),
    () => 0,
  );
  await one.start(async function* () {
    yield* pieces;
  });
  return toAssistantTurn(one.getState(), {
    id: 't',
    model: 'a/b',
    isStreamed: true,
    endedAt: '2026-01-02T03:04:05.000Z',
  });
}

test('a stream with everything becomes one completion', async () => {
  expect(await run(CHUNKS)).toEqual({
    type: 'assistant',
    id: 't',
    text: 'A said',
    reasoning: 'Hm',
    reasoningDetails: [{ type: 'reasoning.text', index: 0, text: 'Hm' }],
    toolCalls: [
      { id: 'c1', name: 'look', arguments: '{"at":1}' },
      { id: 'c2', name: 'go', arguments: '{}' },
    ],
    images: ['data:image/png;base64,AAAA'],
    audio: { format: 'pcm16', data: btoa('abc') },
    outcome: {
      status: 'done',
      model: 'a/b',
      provider: 'Acme',
      generationId: 'gen-1',
      finishReason: null,
      promptTokens: 1,
      completionTokens: 2,
      costUsd: 0.1,
      firstTokenMs: 0,
      elapsedMs: 0,
      endedAt: '2026-01-02T03:04:05.000Z',
      error: null,
    },
  });
});

test('a whole completion reads the same', () => {
  const message = {
    role: 'assistant',
    content: 'A',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
  };
  expect(
    toPiece({ id: 'gen-1', provider: 'Acme', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } as never),
  ).toEqual({
    generationId: 'gen-1',
    provider: 'Acme',
    text: 'A',
    toolCalls: [{ index: 0, id: 'c1', name: 'look', arguments: '{}' }],
    finishReason: 'tool_calls',
  });
});

test('a call of a tool that broke off is no call', async () => {
  const one = createRun(
    (callback) => callback(),
    () => 0,
  );
  await one.start(async function* () {
    yield* CHUNKS.slice(0, 4);
    throw new Error('broken');
  });
  const facts = { id: 't', model: 'a/b', isStreamed: true, endedAt: '' };
  expect(toAssistantTurn(one.getState(), facts)).toMatchObject({
    toolCalls: [],
    text: 'A ',
    outcome: { status: 'failed', error: { message: 'Error: broken' } },
  });
});
