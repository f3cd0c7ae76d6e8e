import type { Generation } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { fromGenerations, readMessages, type Recorded } from './from-generation.ts';

let made = 0;
const newId = (): string => `id${(made += 1)}`;

const recorded = (model: string, completion: string | null): Recorded => ({
  generation: {
    id: `gen-${model}`,
    model,
    provider_name: 'Acme',
    finish_reason: 'stop',
    tokens_prompt: 3,
    tokens_completion: 4,
    total_cost: 0.5,
    cost_known: true,
    generation_time: 120,
    latency: 60,
    streamed: true,
    cancelled: false,
    created_at: '2026-01-02T03:04:05.000Z',
  } as unknown as Generation,
  content: {
    input: {
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
      ],
    },
    output: { completion, reasoning: null },
    error: null,
  },
  request: null,
});

test('a recorded failure keeps its own status, which is not that of a gateway that cannot be reached', () => {
  const { generation, content, request } = recorded('a/b', 'Half a');
  const error = { message: 'It broke off', status: 502, provider_name: 'Acme', raw: null, previous_errors: [] };
  const failed = { generation: { ...generation, finish_reason: 'error' }, content: { ...content, error }, request };
  const unknown = { ...failed, content };
  const errors = fromGenerations([failed, unknown], newId).columns.flatMap(({ turns }) =>
    turns.flatMap((turn) => (turn.type === 'assistant' && turn.outcome?.error ? [turn.outcome.error] : [])),
  );
  expect(errors.map(({ message, status }) => [message, status])).toEqual([
    ['It broke off', 502],
    ['Failed', 502],
  ]);
});

test('puts recorded calls first, and beside them the same conversation to be asked again', () => {
  const { setup, columns } = fromGenerations([recorded('a/b', 'Hello'), recorded('c/d', 'Good day')], newId);
  expect(setup.system).toBe('Be brief');
  expect(columns.map(({ model, isOriginal, turns }) => [model, isOriginal, turns.map(({ text }) => text)])).toEqual([
    ['a/b', true, ['Hi', 'Hello']],
    ['c/d', true, ['Hi', 'Good day']],
    ['a/b', false, ['Hi']],
  ]);
  expect(columns[0]?.turns[1]).toMatchObject({
    outcome: { provider: 'Acme', generationId: 'gen-a/b', costUsd: 0.5, promptTokens: 3, elapsedMs: 120 },
  });
  const ids = columns.flatMap(({ turns }) => turns.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

test('takes over stored messages with what they carried and called', () => {
  const { system, turns } = readMessages(
    [
      { role: 'developer', content: 'A' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'B' },
          { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          null,
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{}' } }, null],
      },
      { role: 'tool', tool_call_id: 'c1', content: '7' },
      { role: 'odd', content: 'left out' },
      null,
      'odd',
    ],
    newId,
  );
  expect(system).toBe('A');
  expect(turns).toMatchObject([
    {
      type: 'user',
      text: 'B',
      attached: [{ kind: 'image' }],
      kept: [{ image_url: { url: 'https://a.example/a.png' } }],
    },
    { type: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] },
    { type: 'tool', callId: 'c1', name: 'look', text: '7' },
  ]);
});
