import fc from 'fast-check';
import { expect, test } from 'vitest';

import { usageSchema } from '../../../wire/chat-chunk.ts';
import { readOpenAiUsage } from './read-openai-usage.ts';

test('reads the counts and the details it knows, and nothing else', () => {
  expect(
    readOpenAiUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0, text_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 3, accepted_prediction_tokens: 0 },
      queue_time: 0.1,
    }),
  ).toEqual({
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 3, accepted_prediction_tokens: 0 },
    },
  });
});

test('leaves out what upstream did not report instead of calling it zero', () => {
  const expected = { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } };
  expect(readOpenAiUsage({ prompt_tokens: 1, completion_tokens: 2 })).toEqual(expected);
  expect(
    readOpenAiUsage({
      prompt_tokens: 1,
      completion_tokens: 2,
      prompt_tokens_details: null,
      completion_tokens_details: {},
    }),
  ).toEqual(expected);
});

test('counts the total itself', () => {
  expect(readOpenAiUsage({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 99 })?.usage.total_tokens).toBe(3);
});

test('adds reasoning that was counted beside the completion, and only that', () => {
  const details = { reasoning_tokens: 227 };
  const apart = { prompt_tokens: 307, completion_tokens: 26, total_tokens: 560, completion_tokens_details: details };
  expect(readOpenAiUsage(apart)?.usage).toMatchObject({ completion_tokens: 253, total_tokens: 560 });

  const within = { prompt_tokens: 10, completion_tokens: 300, total_tokens: 310, completion_tokens_details: details };
  expect(readOpenAiUsage(within)?.usage).toMatchObject({ completion_tokens: 300, total_tokens: 310 });
});

test('reads cached tokens under the name DeepSeek gives them, unless they have their usual one', () => {
  const hits = { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 7 };
  expect(readOpenAiUsage(hits)?.usage.prompt_tokens_details).toEqual({ cached_tokens: 7 });
  expect(
    readOpenAiUsage({ ...hits, prompt_tokens_details: { cached_tokens: 6 } })?.usage.prompt_tokens_details,
  ).toEqual({
    cached_tokens: 6,
  });
});

test('reads cached tokens where Moonshot has them, and writes under Alibaba’s name', () => {
  expect(
    readOpenAiUsage({ prompt_tokens: 9, completion_tokens: 1, cached_tokens: 5 })?.usage.prompt_tokens_details,
  ).toEqual({ cached_tokens: 5 });
  const details = { cached_tokens: 2, cache_creation_input_tokens: 4 };
  expect(
    readOpenAiUsage({ prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: details })?.usage,
  ).toMatchObject({ prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 } });
});

test('reads reasoning that is counted beside the details', () => {
  expect(readOpenAiUsage({ prompt_tokens: 1, completion_tokens: 9, reasoning_tokens: 4 })?.usage).toMatchObject({
    completion_tokens: 9,
    completion_tokens_details: { reasoning_tokens: 4 },
  });
});

test('adds cached tokens and reasoning that cannot be part of the rest, since they are more', () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 7 },
  };
  expect(readOpenAiUsage(usage)?.usage).toMatchObject({ prompt_tokens: 310, completion_tokens: 12, total_tokens: 322 });
  const equal = { ...usage, prompt_tokens: 300, completion_tokens: 7 };
  expect(readOpenAiUsage(equal)?.usage).toMatchObject({ prompt_tokens: 300, completion_tokens: 7, total_tokens: 307 });
});

test.each([null, undefined, 'many', 5, [], {}, { prompt_tokens: 1 }, { completion_tokens: 1 }])(
  'finds no usage in %j',
  (value) => {
    expect(readOpenAiUsage(value)).toBeUndefined();
  },
);

test.each([-1, 1.5, Number.NaN, 1e308, Number.POSITIVE_INFINITY, 2 ** 53, '12', null, true])(
  'believes no count of %s',
  (count) => {
    expect(readOpenAiUsage({ prompt_tokens: count, completion_tokens: 1 })).toBeUndefined();
    expect(readOpenAiUsage({ prompt_tokens: 1, completion_tokens: count })).toBeUndefined();
    const details = {
      prompt_tokens_details: { cached_tokens: count },
      completion_tokens_details: { reasoning_tokens: count },
    };
    expect(readOpenAiUsage({ prompt_tokens: 1, completion_tokens: 1, ...details })).toEqual({
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  },
);

test('takes a cost that upstream reports, if it can be one', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  expect(readOpenAiUsage({ ...counts, cost: 0.0125 })?.upstreamCostUsd).toBe(0.0125);
  expect(readOpenAiUsage({ ...counts, cost: 0 })?.upstreamCostUsd).toBe(0);
  for (const cost of [-0.1, Number.NaN, Number.POSITIVE_INFINITY, 1e308, '0.1', null, {}]) {
    expect(readOpenAiUsage({ ...counts, cost })).not.toHaveProperty('upstreamCostUsd');
  }
});

test('takes the cost in the forms of Perplexity and xAI', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  expect(readOpenAiUsage({ ...counts, cost: { total_cost: 0.006, input_tokens_cost: 0.001 } })?.upstreamCostUsd).toBe(
    0.006,
  );
  expect(readOpenAiUsage({ ...counts, cost_in_usd_ticks: 1_497_500 })?.upstreamCostUsd).toBe(0.00014975);
  expect(readOpenAiUsage({ ...counts, cost_in_usd_ticks: -1 })).not.toHaveProperty('upstreamCostUsd');
});

test('takes upstream’s own split of its cost, in the forms of gateways and of Perplexity', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  const cost_details = {
    upstream_inference_cost: null,
    upstream_inference_prompt_cost: 0.001,
    upstream_inference_completions_cost: 0.002,
  };
  expect(readOpenAiUsage({ ...counts, cost: 0.003, cost_details })).toMatchObject({
    upstreamCostUsd: 0.003,
    upstreamCosts: { promptUsd: 0.001, completionUsd: 0.002 },
  });
  const cost = { input_tokens_cost: 0.001, output_tokens_cost: 0.004, request_cost: 0.005, total_cost: 0.01 };
  expect(readOpenAiUsage({ ...counts, cost })).toMatchObject({
    upstreamCostUsd: 0.01,
    upstreamCosts: { promptUsd: 0.001, completionUsd: 0.004 },
  });
  const odd = { ...cost_details, upstream_inference_prompt_cost: -1, upstream_inference_completions_cost: '2' };
  expect(readOpenAiUsage({ ...counts, cost: 0.003, cost_details: odd })).not.toHaveProperty('upstreamCosts');
});

test('charges what the account pays the provider behind a gateway with its own key, too', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  const cost_details = { upstream_inference_cost: 0.02 };
  expect(readOpenAiUsage({ ...counts, cost: 0.001, is_byok: true, cost_details })).toMatchObject({
    usage: { is_byok: true },
    upstreamCostUsd: 0.021,
    upstreamCosts: { totalUsd: 0.02 },
  });
  expect(readOpenAiUsage({ ...counts, cost: 0.02, is_byok: false, cost_details })?.upstreamCostUsd).toBe(0.02);
});

test('reads the use of tools that upstream ran, in either form', () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  const details = { web_search_requests: 2, tool_calls_requested: 3, tool_calls_executed: 2 };
  expect(readOpenAiUsage({ ...counts, server_tool_use_details: details })?.usage.server_tool_use_details).toEqual(
    details,
  );
  expect(
    readOpenAiUsage({ ...counts, server_tool_use: { web_search_requests: 1 } })?.usage.server_tool_use_details,
  ).toEqual({ web_search_requests: 1 });
});

test('whatever it is given, the result is usage that may be shown, or nothing', () => {
  const names = fc.constantFrom(
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'prompt_cache_hit_tokens',
    'cached_tokens',
    'cost',
    'cost_in_usd_ticks',
    'reasoning_tokens',
    'prompt_tokens_details',
    'completion_tokens_details',
    '__proto__',
  );
  const count = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.anything());
  const details = fc.dictionary(fc.constantFrom('cached_tokens', 'reasoning_tokens', 'audio_tokens'), count);
  fc.assert(
    fc.property(fc.dictionary(names, fc.oneof(count, details)), (value) => {
      const found = readOpenAiUsage(value);
      expect(usageSchema.optional().safeParse(found?.usage).error).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});
