import { expect, test } from 'vitest';

import {
  chunksOf,
  createCoreGateway,
  jsonOf,
  readFrames,
  type WireChunk,
} from '../../../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEventPieces } from '../../../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../../../test/support/upstreams/scripted-transport.ts';
import {
  createTurnTransport,
  type Cut,
  type ScriptedTurn,
} from '../../../../../../test/support/upstreams/scripted-turns.ts';
import { script, toAwsMessage } from '../../../../../../test/support/wires/bedrock.ts';
import { mergeChunks } from './run-tool-turns.ts';
import { type ServerTool, ToolFailure } from './server-tool.ts';

const TOOL = { type: 'service:lookup' };
const CALL: ScriptedTurn = { calls: [['lookup', { word: 'tree' }]] };
const FINAL: ScriptedTurn = { content: 'It is green.' };

/** Returns the word of its input; fails according to the word for some. */
const lookup: ServerTool = {
  name: 'lookup',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
  open: () => ({
    run({ word }) {
      if (word === 'fail') throw new ToolFailure('there is no such word');
      if (word === 'crash') throw new Error('at /srv/secret.js');
      return {
        content: `${String(word)} means green`,
        annotations: [{ type: 'url_citation', url_citation: { url: 'u' } }],
      };
    },
  }),
};

const setUp = (turns: readonly ScriptedTurn[], cut?: Cut) => {
  const upstream = createTurnTransport(turns, cut);
  const core = createCoreGateway(upstream, { serverTools: [lookup] });
  const sent = (index: number) =>
    upstream.exchanges[index]?.sent as {
      messages: { role: string; content: unknown; tool_call_id?: string; tool_calls?: unknown[] }[];
      tools: { type: string; function: { name: string } }[];
      tool_choice?: unknown;
    };
  return { ...core, upstream, sent };
};

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
  readonly annotations?: readonly object[];
  readonly reasoning_details?: readonly Record<string, unknown>[];
}
const messageOf = (response: Parameters<typeof jsonOf>[0]): Message =>
  (jsonOf(response)['choices'] as [{ message: Message }])[0].message;
const contentOf = (chunks: readonly WireChunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');

test('runs the tools that the model calls and returns its completion of the results', async () => {
  const { chat, upstream, sent, store } = setUp([CALL, FINAL]);
  const response = await chat({ tools: [TOOL] });
  expect(response.status).toBe(200);
  expect(upstream.exchanges).toHaveLength(2);
  expect(sent(0).tools).toEqual([
    {
      type: 'function',
      function: { name: 'lookup', description: lookup.description, parameters: lookup.inputSchema },
    },
  ]);
  expect(sent(1).messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_0_0', type: 'function', function: { name: 'lookup', arguments: '{"word":"tree"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_0_0', content: 'tree means green' },
  ]);
  expect(messageOf(response)).toMatchObject({
    content: 'It is green.',
    annotations: [{ type: 'url_citation' }],
    reasoning_details: [
      {
        type: 'reasoning.server_tool_call',
        tool_name: 'lookup',
        tool_call_id: 'call_0_0',
        arguments: '{"word":"tree"}',
        result: 'tree means green',
      },
    ],
  });
  expect(messageOf(response)).not.toHaveProperty('tool_calls');
  expect(jsonOf(response)).toMatchObject({
    choices: [{ finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 10,
      total_tokens: 30,
      cost: 0.00004,
      server_tool_use_details: { tool_calls_requested: 1, tool_calls_executed: 1 },
    },
  });
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]).toMatchObject({
    record: { costNanoUsd: 40_000, generation: { tokens_prompt: 20, finish_reason: 'stop' } },
    content: {
      output: {
        completion: 'It is green.',
        server_tool_calls: [{ name: 'lookup', result: 'tree means green', status: 'completed' }],
      },
    },
  });
});

const TALKATIVE: ScriptedTurn = { ...CALL, reasoning: 'Hm.', content: 'Let me look.' };
const cuts = chunkings(toEventPieces(['x'])).map(([name]) => name);

test.each(cuts)('streams the text of every turn as one completion, with one end (%s)', async (name) => {
  const cut: Cut = (pieces) => chunkings(pieces).find(([other]) => other === name)?.[1] ?? [];
  const { chat, store } = setUp([TALKATIVE, FINAL], cut);
  const chunks = chunksOf(await readFrames(await chat({ tools: [TOOL], stream: true })).rest());
  expect(contentOf(chunks)).toBe('Let me look.\n\nIt is green.');
  expect(chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason ?? []).flat())).toEqual(['stop']);
  expect(chunks.filter(({ usage }) => usage !== undefined)).toHaveLength(1);
  expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 20, cost: 0.00004 } });
  expect(chunks.some(({ choices }) => choices.some(({ delta }) => delta['tool_calls'] !== undefined))).toBe(false);
  const details = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta['reasoning_details'] ?? []));
  expect(details).toMatchObject([
    { type: 'reasoning.text', text: 'Hm.', index: 0 },
    { type: 'reasoning.server_tool_call', result: 'tree means green', index: 1 },
  ]);
  expect(store.appended[0]).toMatchObject({
    record: { costNanoUsd: 40_000 },
    content: { output: { completion: 'Let me look.\n\nIt is green.', reasoning: 'Hm.' } },
  });
});

test('keeps the log probabilities of all pieces of a completion that is returned whole', () => {
  const piece = (content: string, logprobs?: unknown) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: null, native_finish_reason: null, logprobs }],
  });
  const merge = (...given: readonly unknown[]) =>
    mergeChunks(given.map((logprobs) => piece('x', logprobs))).choices[0]?.logprobs;
  const [one, two] = [{ token: 'a' }, { token: 'b' }];
  expect(merge({ content: [one], refusal: null }, null, undefined, { content: [two] })).toEqual({
    content: [one, two],
    refusal: null,
  });
  expect(merge({ content: null, refusal: [one] }, { refusal: [two] })).toEqual({ content: null, refusal: [one, two] });
  expect(merge(undefined, null)).toBeUndefined();
});

test('returns the same completion whole as streamed', async () => {
  const whole = await setUp([TALKATIVE, FINAL]).chat({ tools: [TOOL] });
  expect(messageOf(whole).content).toBe('Let me look.\n\nIt is green.');
});

test("hands calls of the caller's own tools out, renumbered, and runs its own beside them", async () => {
  const mixed: ScriptedTurn = {
    calls: [
      ['lookup', { word: 'tree' }],
      ['weather', { city: 'Oslo' }],
    ],
  };
  const own = { type: 'function', function: { name: 'weather' } };
  const expected = [{ id: 'call_0_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }];
  const whole = await setUp([mixed, FINAL]).chat({ tools: [own, TOOL] });
  expect(messageOf(whole).tool_calls).toMatchObject(expected);
  expect(jsonOf(whole)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });

  const { chat, upstream, store, sent } = setUp([mixed, FINAL]);
  const chunks = chunksOf(await readFrames(await chat({ tools: [own, TOOL], stream: true })).rest());
  const calls = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta['tool_calls'] ?? []));
  expect(calls).toMatchObject([{ index: 0, ...expected[0] }]);
  expect(upstream.exchanges).toHaveLength(1);
  expect(store.appended[0]?.content?.output.tool_calls).toMatchObject(expected);

  // The result of the gateway's tool is sent back together with the caller's result.
  const { reasoning_details } = messageOf(whole);
  await chat({
    tools: [own, TOOL],
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: null, reasoning_details, tool_calls: messageOf(whole).tool_calls },
      { role: 'tool', tool_call_id: 'call_0_1', content: 'rain' },
    ],
  });
  expect(sent(1).messages.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual([
    'user',
    'assistant',
    'call_0_0',
    'assistant',
    'call_0_1',
  ]);
});

test("keeps the name of a caller's function that is called as a server tool is", async () => {
  const { chat, sent, upstream } = setUp([{ calls: [['lookup', {}]] }]);
  const response = await chat({ tools: [TOOL, { type: 'function', function: { name: 'lookup' } }] });
  expect(sent(0).tools.map((tool) => tool.function.name)).toEqual(['lookup', 'service_lookup']);
  expect(messageOf(response).tool_calls).toHaveLength(1);
  expect(upstream.exchanges).toHaveLength(1);
});

test('reports the failure of a tool to the model, without internal messages', async () => {
  const calls: ScriptedTurn['calls'] = [
    ['lookup', { word: 'fail' }],
    ['lookup', { word: 'crash' }],
    ['lookup', '[1'],
  ];
  const { chat, sent, store, logged } = setUp([{ calls }, FINAL]);
  expect((await chat({ tools: [TOOL] })).status).toBe(200);
  const results = sent(1).messages.filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => JSON.parse(String(content)) as unknown)).toEqual([
    { status: 'failed', error: 'there is no such word' },
    { status: 'failed', error: 'the tool has failed' },
    { status: 'failed', error: 'the arguments are not a JSON object' },
  ]);
  expect(logged.map(({ line }) => line)).toContain('warn a server tool has failed');
  expect(store.appended[0]?.content?.output.server_tool_calls?.map(({ status }) => status)).toEqual([
    'failed',
    'failed',
    'failed',
  ]);
});

test('requests a last completion without tools once max_tool_calls is used up', async () => {
  const { chat, sent, upstream } = setUp([CALL, CALL, FINAL]);
  await chat({ tools: [TOOL], max_tool_calls: 2 });
  expect(upstream.exchanges.map((_, index) => sent(index).tool_choice)).toEqual([undefined, undefined, 'none']);
});

test('offers no tools at all with max_tool_calls of 0', async () => {
  const { chat, sent, upstream } = setUp([CALL]);
  const response = await chat({ tools: [TOOL], max_tool_calls: 0 });
  expect(upstream.exchanges).toHaveLength(1);
  expect(sent(0).tool_choice).toBe('none');
  expect(jsonOf(response)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
});

test('runs only the remaining number of calls of one turn, and reports the limit to the model', async () => {
  const three: ScriptedTurn = { calls: ['a', 'b', 'c'].map((word) => ['lookup', { word }]) };
  const { chat, sent } = setUp([three, FINAL]);
  const response = await chat({ tools: [TOOL], max_tool_calls: 2 });
  expect(
    sent(1)
      .messages.slice(2)
      .map(({ content }) => content),
  ).toEqual([
    'a means green',
    'b means green',
    JSON.stringify({ status: 'failed', error: 'no more tools can be called in this request' }),
  ]);
  expect(jsonOf(response)).toMatchObject({
    usage: { server_tool_use_details: { tool_calls_requested: 3, tool_calls_executed: 2 } },
  });
});

test('stops after 30 calls by itself, and drops a call that the model makes without being offered tools', async () => {
  const { chat, upstream } = setUp([CALL]);
  const response = await chat({ tools: [TOOL] });
  expect(upstream.exchanges).toHaveLength(31);
  expect(jsonOf(response)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  expect(messageOf(response)).not.toHaveProperty('tool_calls');
});

test.each([false, true])('ends at a provider that has no word for no tools, too (streamed: %s)', async (stream) => {
  const { whole, events = [] } = script.responses['tool without arguments'];
  const pieces = stream ? events.map(toAwsMessage) : [JSON.stringify(whole)];
  const type = stream ? 'application/vnd.amazon.eventstream' : 'application/json';
  const upstream = createReplayTransport({ headers: { 'content-type': type }, pieces });
  const { chat } = createCoreGateway([script.createProvider(upstream)], {
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'up', providerModel: script.model }] }],
    serverTools: [{ ...lookup, name: 'get_time' }],
  });
  const response = await chat({ tools: [{ type: 'service:get_time' }], max_tool_calls: 1, stream });
  const choices = stream
    ? chunksOf(await readFrames(response).rest()).flatMap((chunk) => chunk.choices)
    : (jsonOf(response)['choices'] as WireChunk['choices']);
  expect(choices.flatMap(({ finish_reason: reason }) => reason ?? [])).toEqual(['stop']);
  expect(upstream.exchanges).toHaveLength(2);
  expect(upstream.latest().sent['toolConfig']).toEqual({
    tools: [{ toolSpec: expect.objectContaining({ name: 'get_time' }) }],
  });
});

test.each<[string, readonly object[], number]>([
  ['after so many calls', [{ type: 'step_count_is', step_count: 3 }], 4],
  ['after a call of one tool', [{ type: 'has_tool_call', tool_name: 'openrouter:lookup' }], 2],
  ['after so many tokens', [{ type: 'max_tokens_used', max_tokens: 31 }], 4],
  ['after so much money', [{ type: 'max_cost', max_cost_in_dollars: 0.00004 }], 3],
  ['after a finish reason', [{ type: 'finish_reason_is', reason: 'tool_calls' }], 2],
  [
    'at the first condition that is met',
    [
      { type: 'step_count_is', step_count: 9 },
      { type: 'max_tokens_used', max_tokens: 30 },
    ],
    3,
  ],
])('comes to an end %s, whatever max_tool_calls says', async (_, stop_server_tools_when, turns) => {
  const { chat, sent, upstream } = setUp([CALL]);
  await chat({ tools: [TOOL], max_tool_calls: 1, stop_server_tools_when });
  expect(upstream.exchanges).toHaveLength(turns);
  const last = sent(turns - 1);
  expect(last.tool_choice).toBe('none');
  // The pending call has been run.
  expect(last.messages.at(-1)).toMatchObject({ role: 'tool', content: 'tree means green' });
});

test('forces a tool only once', async () => {
  const { chat, sent } = setUp([CALL, FINAL]);
  await chat({ tools: [TOOL], tool_choice: { type: 'openrouter:lookup' } });
  expect(sent(0).tool_choice).toEqual({ type: 'function', function: { name: 'lookup' } });
  expect(sent(1).tool_choice).toBe('auto');
});

test('fails the stream in-band when a later turn fails, and still charges for the ones before', async () => {
  const { chat, store } = setUp([TALKATIVE, { status: 400 }]);
  const chunks = chunksOf(await readFrames(await chat({ tools: [TOOL], stream: true })).rest());
  expect(contentOf(chunks)).toBe('Let me look.');
  expect(chunks.at(-1)).toMatchObject({ error: { code: 400 }, choices: [{ finish_reason: 'error' }] });
  expect(store.appended[0]).toMatchObject({
    record: { costNanoUsd: 20_000, generation: { finish_reason: 'error', tokens_prompt: 10 } },
  });
});

test('stays with the endpoint of the first turn, and falls back to another of the same model', async () => {
  const { chat, upstream } = setUp([CALL, { status: 503 }, FINAL]);
  const response = await chat({ tools: [TOOL] });
  expect(response.status).toBe(200);
  expect(upstream.exchanges.map(({ request }) => new URL(request.url).host)).toEqual([
    'acme.example',
    'acme.example',
    'beta.example',
  ]);
  expect(jsonOf(response)).toMatchObject({ usage: { prompt_tokens: 20, cost: 0.00008 } });
});

test('holds what each turn may cost beside what those before have cost, and begins none that is too dear', async () => {
  const ask = async (completionTokens: number) => {
    const upstream = createTurnTransport([{ ...CALL, usage: [10, completionTokens] }, FINAL]);
    // Either turn may cost about 0.0018 USD: two would never fit.
    const core = createCoreGateway(upstream, { serverTools: [lookup], account: { creditsUsd: 0.003 } });
    const response = await core.chat({ tools: [TOOL], max_tokens: 100, provider: { only: ['acme'] } });
    return { response, core, upstream };
  };
  const cheap = await ask(100);
  expect(cheap.response.status).toBe(200);
  expect(cheap.upstream.exchanges).toHaveLength(2);
  const dear = await ask(1000);
  expect(dear.response.status).toBe(402);
  expect(dear.upstream.exchanges).toHaveLength(1);
  expect(dear.core.store.appended[0]?.record).toMatchObject({ costNanoUsd: 2_010_000 });
  // Nothing stays held.
  expect((await dear.core.chat({ max_tokens: 10, provider: { only: ['acme'] } })).status).toBe(200);
});

test('repeats a completion of several turns from the cache without running a tool', async () => {
  const { chat, upstream, store } = setUp([TALKATIVE, FINAL]);
  const headers = { authorization: 'Bearer sk-test-api', 'x-service-cache': 'true' };
  const body = { tools: [TOOL], stream: true };
  const first = await readFrames(await chat(body, { headers })).rest();
  const again = await readFrames(await chat(body, { headers })).rest();
  expect(upstream.exchanges).toHaveLength(2);
  expect(contentOf(chunksOf(again))).toBe(contentOf(chunksOf(first)));
  expect(store.appended[1]?.record.costNanoUsd).toBe(0);
});

test('records what was searched and fetched', async () => {
  const turn: ScriptedTurn = {
    calls: [
      ['web_search', { query: 'a' }],
      ['web_search', { query: 'b' }],
      ['web_fetch', { url: 'https://a.example/' }],
    ],
  };
  const found = [{ url: 'https://a.example/', title: 'A', snippet: '' }];
  const searchEngine = { name: 'test', search: () => Promise.resolve(found) };
  const core = createCoreGateway(createTurnTransport([turn, FINAL]), { web: { searchEngine } });
  const response = await core.chat({ tools: [{ type: 'web_search' }, { type: 'service:web_fetch' }] });
  expect(jsonOf(response)).toMatchObject({ usage: { server_tool_use_details: { web_search_requests: 2 } } });
  expect(core.store.appended[0]?.record.generation).toMatchObject({
    num_search_results: 2,
    web_search_engine: 'test',
    num_fetches: 1,
  });
});

test('shows each call among what acted on the request, and counts one attempt', async () => {
  const { chat } = setUp([CALL, FINAL]);
  const headers = { authorization: 'Bearer sk-test-api', 'x-service-experimental-metadata': 'enabled' };
  expect(jsonOf(await chat({ tools: [TOOL] }, { headers }))).toMatchObject({
    service_metadata: { attempt: 1, pipeline: [{ type: 'server_tools', name: 'lookup' }] },
  });
});

test.each<[object, string]>([
  [{ tools: [{ type: 'openrouter:nothing' }] }, 'tools.0'],
  [{ tools: [TOOL], max_tool_calls: -1 }, 'max_tool_calls'],
  [{ tools: [TOOL], tool_choice: { type: 'service:datetime' } }, 'tool_choice'],
  [{ tools: [{ type: 'service:datetime', parameters: { timezone: 'Mars' } }] }, 'tools.0.parameters.timezone'],
  [{ tools: [{ type: 'web_search', max_results: 26 }] }, 'tools.0.parameters.max_results'],
])('refuses what it cannot do: %j', async (body, path) => {
  const { chat, upstream } = setUp([FINAL]);
  const response = await chat(body as Record<string, unknown>);
  expect(response.status).toBe(400);
  expect(jsonOf(response)).toMatchObject({ error: { metadata: { issues: [{ path }] } } });
  expect(upstream.exchanges).toHaveLength(0);
});

test('ends at once when the client leaves while a tool is at work', async () => {
  let begin: (signal: AbortSignal) => void = () => undefined;
  const begun = new Promise<AbortSignal>((resolve) => (begin = resolve));
  const slow: ServerTool = {
    ...lookup,
    open: () => ({
      run: (_, signal) => {
        begin(signal);
        return new Promise(() => undefined);
      },
    }),
  };
  const core = createCoreGateway(createTurnTransport([TALKATIVE, FINAL]), { serverTools: [slow] });
  const frames = readFrames(await core.chat({ tools: [TOOL], stream: true }));
  let text = '';
  while (!text.includes('look.')) text += (await frames.next()) ?? '';
  const pending = frames.next();
  const signal = await begun;
  expect(signal.aborted).toBe(false);
  await frames.leave();
  expect(signal.aborted).toBe(true);
  await pending;
  expect(core.gateway.stats().openCalls).toBe(0);
  expect(core.store.appended[0]?.record.generation).toMatchObject({ cancelled: true });
});

test('gives up a tool that takes longer than a minute', async () => {
  const never: ServerTool = { ...lookup, open: () => ({ run: () => new Promise(() => undefined) }) };
  const upstream = createTurnTransport([CALL, FINAL]);
  const core = createCoreGateway(upstream, { serverTools: [never] });
  const pending = core.chat({ tools: [TOOL] });
  await core.platform.advance(61_000);
  expect((await pending).status).toBe(200);
  expect(upstream.latest().sent['messages']).toMatchObject([
    {},
    {},
    { content: JSON.stringify({ status: 'failed', error: 'the tool took too long' }) },
  ]);
});
