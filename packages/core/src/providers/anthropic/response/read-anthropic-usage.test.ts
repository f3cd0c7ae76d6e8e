import { expect, test } from 'vitest';

import { addAnthropicUsage, type AnthropicCounts, toUsage } from './anthropic-completion-reader.ts';

const usageOf = (...reports: unknown[]): ReturnType<typeof toUsage> => {
  let counts: AnthropicCounts = {};
  for (const report of reports) counts = addAnthropicUsage(counts, report);
  return toUsage(counts);
};

test('counts what was read from and written to the cache once, as a part of the prompt', () => {
  expect(
    usageOf({
      input_tokens: 7,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      server_tool_use: { web_search_requests: 2 },
    }),
  ).toEqual({
    prompt_tokens: 1307,
    completion_tokens: 50,
    total_tokens: 1357,
    prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 300, cache_write_1h_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 20 },
    server_tool_use_details: { web_search_requests: 2 },
  });
});

test('leaves out what was not reported', () => {
  expect(usageOf({ input_tokens: 7, output_tokens: 5, cache_read_input_tokens: null })).toEqual({
    prompt_tokens: 7,
    completion_tokens: 5,
    total_tokens: 12,
  });
  expect(usageOf({ input_tokens: 7, output_tokens: 5, cache_creation_input_tokens: 0 })?.prompt_tokens_details).toEqual(
    {
      cache_write_tokens: 0,
    },
  );
});

test('takes the later of two counts, which are cumulative', () => {
  expect(
    usageOf(
      { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 1 },
      { output_tokens: 50 },
      { input_tokens: 9, output_tokens: 60 },
    ),
  ).toMatchObject({ prompt_tokens: 12, completion_tokens: 60 });
});

test('takes a zero after a count for nothing said', () => {
  expect(
    usageOf(
      { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 1 },
      { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    ),
  ).toMatchObject({ prompt_tokens: 10, completion_tokens: 1 });
  expect(usageOf({ input_tokens: 0, output_tokens: 0 })).toMatchObject({ prompt_tokens: 0, completion_tokens: 0 });
});

test('takes a zero of the output for what it says, where the input is counted or not mentioned', () => {
  for (const last of [{ output_tokens: 0 }, { input_tokens: 7, output_tokens: 0 }]) {
    expect(usageOf({ input_tokens: 7, output_tokens: 1 }, last)).toMatchObject({
      completion_tokens: 0,
      total_tokens: 7,
    });
  }
});

test('adds up turns on the server, all but those of another model that advises', () => {
  const message = { type: 'message', input_tokens: 10, output_tokens: 40, cache_read_input_tokens: 5 };
  expect(
    usageOf(
      { input_tokens: 10, output_tokens: 0 },
      {
        input_tokens: 12,
        output_tokens: 30,
        iterations: [
          message,
          { type: 'advisor_message', input_tokens: 500, output_tokens: 500 },
          { type: 'fallback_message', input_tokens: 12, output_tokens: 30 },
          null,
        ],
      },
    ),
  ).toEqual({
    prompt_tokens: 27,
    completion_tokens: 70,
    total_tokens: 97,
    prompt_tokens_details: { cached_tokens: 5 },
  });
});

test('adds up what the turns on the server keep for an hour', () => {
  const turn = (cache_creation?: object) => ({
    type: 'message',
    input_tokens: 1,
    output_tokens: 1,
    cache_creation_input_tokens: 100,
    ...(cache_creation && { cache_creation }),
  });
  const written = (...iterations: object[]) =>
    usageOf({
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
      iterations,
    })?.prompt_tokens_details;
  const first = turn({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 });
  const second = turn({ ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 });
  expect(written(first, second)).toEqual({ cache_write_tokens: 200, cache_write_1h_tokens: 140 });
  // Where the turns do not say it, the counts beside them hold.
  expect(written(turn(), turn())).toEqual({ cache_write_tokens: 200, cache_write_1h_tokens: 40 });
});

test.each([
  [undefined],
  [null],
  ['x'],
  [{}],
  [{ input_tokens: 5 }],
  [{ output_tokens: 5 }],
  [{ input_tokens: -1, output_tokens: 5 }],
  [{ input_tokens: 5, output_tokens: 1.5 }],
  [{ input_tokens: 5, output_tokens: 1e12 }],
  [{ input_tokens: '5', output_tokens: 5 }],
])('finds no usage in %j', (report) => {
  expect(usageOf(report)).toBeUndefined();
});
