import { expect, test } from 'vitest';

import { chunksOf, createCoreGateway, jsonOf, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import {
  createReplayTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const JSON_TYPE = { 'content-type': 'application/json' };
const ERROR = { code: 502, message: 'Provider disconnected', metadata: { provider_name: 'Behind' } };

/** An upstream's completion that ends with an error. */
const brokenOff = (content: string | null, choice: object = {}): object => ({
  id: 'up-1',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'error', ...choice }],
  usage: USAGE,
});
const SOUND = {
  id: 'up-2',
  choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
  usage: USAGE,
};

const replayWhole = (...completions: readonly object[]): ScriptedTransport =>
  createReplayTransport(
    ...completions.map((completion) => ({ headers: JSON_TYPE, pieces: [JSON.stringify(completion)] })),
  );

const toEvents = (deltas: readonly object[], end: object = {}): string[] =>
  toEventPieces([
    ...deltas.map((delta) => ({ id: 'up-1', choices: [{ index: 0, delta, finish_reason: null }] })),
    { id: 'up-1', choices: [{ index: 0, delta: {}, finish_reason: 'error', ...end }] },
    { id: 'up-1', choices: [], usage: USAGE },
  ]);

test('returns a whole completion that upstream broke off, with the error in upstream’s words', async () => {
  const { chat, store, logged } = createCoreGateway(replayWhole(brokenOff('Hel', { error: { ...ERROR, code: 429 } })));
  const response = await chat();
  expect(response.status).toBe(200);
  expect(jsonOf(response)).toMatchObject({
    choices: [
      {
        message: { content: 'Hel' },
        finish_reason: 'error',
        native_finish_reason: 'error',
        error: {
          code: 429,
          message: 'Provider disconnected',
          metadata: {
            error_type: 'rate_limit_exceeded',
            provider_name: 'Acme',
            raw: expect.stringContaining('Behind'),
          },
        },
      },
    ],
    usage: USAGE,
  });
  // Recorded once, as failed, with its cost.
  expect(store.appended).toMatchObject([
    {
      record: { costNanoUsd: 20_000, generation: { finish_reason: 'error', native_finish_reason: 'error' } },
      content: { output: { completion: 'Hel' }, error: { message: 'Provider disconnected', status: 429 } },
    },
  ]);
  expect(logged.map(({ line }) => line)).toContain('warn a call failed');
});

test('asks another endpoint where upstream ended a completion with an error before it said anything', async () => {
  const { chat, store } = createCoreGateway(replayWhole(brokenOff(null), SOUND));
  const response = await chat();
  expect(jsonOf(response)).toMatchObject({ provider: 'Beta', choices: [{ message: { content: 'Hello' } }] });
  expect(store.appended[0]?.record.generation).toMatchObject({ finish_reason: 'stop', provider_name: 'Beta' });

  for (const [, pieces] of chunkings(toEvents([{ role: 'assistant', content: '' }]))) {
    const sound = toEventPieces([{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }]);
    const { chat: ask } = createCoreGateway(createReplayTransport({ pieces }, { pieces: sound }));
    const chunks = chunksOf(await readFrames(await ask({ stream: true })).rest());
    expect(chunks[0]).toMatchObject({ provider: 'Beta', choices: [{ delta: { content: 'Hi' } }] });
  }
});

test('refuses with the error where no endpoint said anything', async () => {
  const end = { error: { code: 429, message: 'no more' } };
  const whole = await createCoreGateway(replayWhole(brokenOff('', end))).chat();
  expect([whole.status, jsonOf(whole)['error']]).toMatchObject([429, { code: 429, message: 'no more' }]);
  for (const [, pieces] of chunkings(toEvents([], end))) {
    const response = await createCoreGateway(createReplayTransport({ pieces })).chat({ stream: true });
    expect([response.status, jsonOf(response)['error']]).toMatchObject([429, { code: 429, message: 'no more' }]);
  }
});

test('ends a stream that upstream ended with an error in the same way, with exact counts in the record', async () => {
  const end = { native_finish_reason: 'MALFORMED', error: ERROR };
  for (const [chunking, pieces] of chunkings(toEvents([{ content: 'Hel' }], end))) {
    const { chat, store } = createCoreGateway(createReplayTransport({ pieces }));
    const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
    expect({ chunking, chunks }).toMatchObject({
      chunking,
      chunks: [
        { choices: [{ delta: { content: 'Hel' } }] },
        {
          error: { code: 502, metadata: { error_type: 'provider_unavailable', provider_name: 'Acme' } },
          choices: [{ finish_reason: 'error', native_finish_reason: 'MALFORMED' }],
        },
      ],
    });
    expect(store.appended[0]?.record).toMatchObject({
      costNanoUsd: 20_000,
      generation: { finish_reason: 'error', native_finish_reason: 'MALFORMED', usage_estimated: false },
    });
  }
});

test('runs no tools that a broken completion calls for', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'datetime', arguments: '{' } };
  const transport = replayWhole(brokenOff(null, { message: { content: 'Let me see', tool_calls: [call] } }));
  const { chat, store } = createCoreGateway(transport);
  const response = await chat({ tools: [{ type: 'service:datetime' }] });
  expect(transport.exchanges).toHaveLength(1);
  expect(jsonOf(response)).toMatchObject({
    choices: [{ message: { content: 'Let me see' }, finish_reason: 'error', error: { code: 502 } }],
  });
  expect(store.appended[0]?.record.generation.finish_reason).toBe('error');
});

test('keeps upstream’s split of the cost, streamed and whole', async () => {
  const cost_details = {
    upstream_inference_cost: 0.4,
    upstream_inference_prompt_cost: 0.1,
    upstream_inference_completions_cost: 0.3,
  };
  const usage = { ...USAGE, cost: 0.5, cost_details };
  const whole = createCoreGateway(replayWhole({ ...SOUND, usage }));
  expect(jsonOf(await whole.chat())).toMatchObject({ usage: { cost: 0.5, cost_details } });
  expect(whole.store.appended[0]?.record.generation).toMatchObject({ total_cost: 0.5, upstream_inference_cost: 0.4 });
  const events = [{ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }, { choices: [], usage }];
  for (const [, pieces] of chunkings(toEventPieces(events))) {
    const { chat } = createCoreGateway(createReplayTransport({ pieces }));
    const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
    expect(chunks.at(-1)?.usage).toMatchObject({ cost: 0.5, cost_details });
  }
});
