import fc from 'fast-check';
import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
  chunksOf,
  createCoreGateway,
  jsonOf,
  parseFrames,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { chunkings, toEvent, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { GOOD, opening, piece, stop, usage } from '../../../../test/support/upstreams/good-stream.ts';
import {
  connectionReset,
  createReplayTransport,
  createScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';

test.each(chunkings(GOOD))(
  'streams text, the finish reason, usage once and the end marker, in this order (%s)',
  async (_name, pieces) => {
    const { chat, store } = createCoreGateway(createReplayTransport({ pieces }));
    const response = await chat({ stream: true });
    expect(response.status).toBe(200);
    expect(response.headers).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req-/) as string,
      'x-generation-id': expect.stringMatching(/^gen-/) as string,
    });
    const text = await readFrames(response).rest();
    expect(store.appended[0]?.record.generation.id).toBe(response.headers['x-generation-id']);
    const frames = parseFrames(text);
    const chunks = chunksOf(text);
    expect(frames.at(-1)).toBe('done');
    expect(frames).toHaveLength(chunks.length + 1);
    for (const { id, model, provider } of chunks) {
      expect({ id, model, provider }).toEqual({
        id: response.headers['x-generation-id'],
        model: 'acme/chat',
        provider: 'Acme',
      });
    }
    expect(
      chunks.map(({ choices, usage: counted }) => choices[0]?.finish_reason ?? (counted ? 'usage' : 'text')),
    ).toEqual(['text', 'text', 'stop', 'usage']);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Héllo 👩‍👩‍👧');
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00002, is_byok: false },
    });
    expect(chunks.at(-1)?.usage).not.toHaveProperty('estimated');
  },
);

test.each(chunkings(GOOD))('streams null for a cost that is not known (%s)', async (_name, pieces) => {
  const { chat } = createCoreGateway(createReplayTransport({ pieces }));
  const last = async (userAgent: string): Promise<unknown> => {
    const headers = { authorization: 'Bearer sk-test-api', 'user-agent': userAgent };
    return chunksOf(await readFrames(await chat({ model: 'acme/other', stream: true }, { headers })).rest()).at(-1)
      ?.usage;
  };
  expect(await last('curl/8')).toHaveProperty('cost', null);
  expect(await last('ai-sdk/openrouter/3.1.0')).not.toHaveProperty('cost');
});

const spoken = (audio: object): object => ({
  id: 'up-1',
  choices: [{ index: 0, delta: { audio }, finish_reason: null }],
});

test.each(
  chunkings(
    toEventPieces([
      opening,
      spoken({ id: 'audio_1', transcript: 'Good ' }),
      spoken({ data: 'UklG' }),
      spoken({ transcript: 'morning' }),
      spoken({ data: 'Rg==', expires_at: 1_800_000_000 }),
      stop,
      usage,
    ]),
  ),
)('streams speech as it comes, and records what was said (%s)', async (_name, pieces) => {
  const upstream = createReplayTransport({ pieces });
  const { chat, store } = createCoreGateway(upstream, { logging: { inputOutput: true } });
  const audio = { voice: 'alloy', format: 'pcm16' };
  const response = await chat({ model: 'acme/chat', stream: true, modalities: ['text'], audio });
  const chunks = chunksOf(await readFrames(response).rest());
  expect(upstream.latest().sent).toMatchObject({ audio });
  expect(chunks.flatMap(({ choices }) => choices[0]?.delta.audio ?? [])).toEqual([
    { id: 'audio_1', transcript: 'Good ' },
    { data: 'UklG' },
    { transcript: 'morning' },
    { data: 'Rg==', expires_at: 1_800_000_000 },
  ]);
  // Upstream has not counted the tokens of the speech, so that its cost is not known although the model has prices.
  expect(chunks.at(-1)?.usage).toMatchObject({ completion_tokens: 5, cost: null });
  expect(store.appended[0]).toMatchObject({
    record: { generation: { cost_known: false } },
    content: { output: { completion: 'Good morning' } },
  });
});

test('records a completed stream once, before its last frames can be read', async () => {
  const { chat, store, platform } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  const release = store.holdAppends();
  const response = await chat({ stream: true });
  const reader = readFrames(response);
  const seen: string[] = [];
  const reading = (async () => {
    for (let text = await reader.next(); text !== undefined; text = await reader.next()) seen.push(text);
  })();
  await platform.advance(0);
  expect(chunksOf(seen.join('')).map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null]);
  expect(seen.join('')).not.toContain('[DONE]');

  release();
  await reading;
  expect(seen.join('')).toContain('[DONE]');
  expect(store.appended).toHaveLength(1);
  expect(store.appended[0]?.record).toMatchObject({
    generation: {
      id: response.headers['x-generation-id'],
      upstream_id: 'up-1',
      model: 'acme/chat',
      provider_name: 'Acme',
      streamed: true,
      cancelled: false,
      finish_reason: 'stop',
      native_finish_reason: 'stop',
      tokens_prompt: 10,
      tokens_completion: 5,
      total_cost: 2e-5,
      cost_known: true,
      usage_estimated: false,
    },
    costNanoUsd: 20_000,
  });
  expect(store.appended[0]?.content).toEqual({
    input: { messages: [{ role: 'user', content: 'Hello' }] },
    output: { completion: 'Héllo 👩‍👩‍👧', reasoning: null },
    error: null,
    timeline: { interval_ms: 20, gaps_ms: [0], text: [14] },
    callTimeline: expect.objectContaining({ attempts_ms: [0] }),
    request: expect.objectContaining({ format: 'chat' }),
  });
});

test('can be read by its id the moment the stream ends', async () => {
  const { chat, get } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  const response = await chat({ stream: true });
  await readFrames(response).rest();
  const record = await get(`/api/v1/generation?id=${response.headers['x-generation-id']}`);
  expect(jsonOf(record)).toMatchObject({ data: { tokens_prompt: 10, finish_reason: 'stop' } });
});

test('estimates usage that upstream does not report, and says so', async () => {
  const { chat, store } = createCoreGateway(
    createReplayTransport({ pieces: toEventPieces([piece('twelve chars'), stop]) }),
  );
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
  expect(chunks.at(-1)?.usage).toMatchObject({
    prompt_tokens: 6,
    completion_tokens: 3,
    total_tokens: 9,
    estimated: true,
  });
  expect(store.appended[0]?.record.generation).toMatchObject({ usage_estimated: true, tokens_completion: 3 });
});

test.each([
  [
    'on every chunk',
    [piece('a'), piece('b'), stop].map((each, i) => ({ ...each, usage: { prompt_tokens: 10, completion_tokens: i } })),
    2,
  ],
  ['twice at the end', [piece('a'), stop, usage, { ...usage, usage: { prompt_tokens: 10, completion_tokens: 7 } }], 7],
  ['before the finish reason', [piece('a'), usage, stop], 5],
  ['before the first text', [usage, opening, piece('a'), stop], 5],
])('sends usage once and takes the last when upstream sends it %s', async (_name, payloads, completion) => {
  const { chat } = createCoreGateway(createReplayTransport({ pieces: toEventPieces(payloads) }));
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  expect(chunks.map((chunk) => chunk.usage?.['completion_tokens'])).toEqual([
    ...chunks.slice(1).map(() => undefined),
    completion,
  ]);
});

test('sends the finish reason once when upstream repeats or changes it, the first', async () => {
  const length = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
  const { chat } = createCoreGateway(
    createReplayTransport({ pieces: toEventPieces([piece('a'), stop, length, piece('b'), stop]) }),
  );
  const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
  expect(chunks.map(({ choices }) => choices[0]?.finish_reason).filter((reason) => reason)).toEqual(['stop']);
});

test('streams tool calls in pieces that put together are what upstream meant', async () => {
  const calls = [
    { index: 0, id: 'c1', function: { name: 'f', arguments: '' } },
    { index: 0, function: { arguments: '{"x":' } },
    { index: 0, function: { arguments: '1}' } },
    { index: 1, id: 'c2', function: { name: 'g' } },
  ].map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }));
  const pieces = toEventPieces([...calls, stop]);
  for (const [, bytes] of chunkings(pieces)) {
    const { chat, store } = createCoreGateway(createReplayTransport({ pieces: bytes }));
    const chunks = chunksOf(await readFrames(await chat({ stream: true })).rest());
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta['tool_calls'] ?? [])).toEqual([
      { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":' } },
      { index: 0, function: { arguments: '1}' } },
      { index: 1, id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(store.appended[0]?.content?.output.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
      { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
  }
});

test.each([{ reasoning: { exclude: true } }, { include_reasoning: false }])(
  'keeps reasoning back for %j, and records it',
  async (body) => {
    const thought = { choices: [{ index: 0, delta: { reasoning_content: 'secret' }, finish_reason: null }] };
    const { chat, store } = createCoreGateway(
      createReplayTransport({ pieces: toEventPieces([thought, thought, piece('Hi'), stop]) }),
    );
    const text = await readFrames(await chat({ stream: true, ...body })).rest();
    expect(text).not.toContain('secret');
    expect(chunksOf(text)[0]?.choices[0]?.delta.content).toBe('Hi');
    expect(store.appended[0]?.content?.output.reasoning).toBe('secretsecret');
  },
);

// Whatever happens

type Action =
  | 'text'
  | 'thought'
  | 'stop'
  | 'usage'
  | 'error'
  | 'garbage'
  | 'marker'
  | 'end'
  | 'reset'
  | 'refuse'
  | 'leave'
  | 'abort'
  | 'wait'
  | 'read'
  | 'close'
  | 'fail store';

test('ends every stream in one way, records it once and holds nothing back, whatever happens in whatever order', async () => {
  const action = fc.constantFrom<Action>(
    ...([
      'text',
      'text',
      'text',
      'thought',
      'stop',
      'usage',
      'error',
      'garbage',
      'marker',
      'end',
      'reset',
      'refuse',
    ] as const),
    ...(['leave', 'abort', 'wait', 'read', 'read', 'read', 'close', 'fail store'] as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 14 }), fc.boolean(), async (actions, readsAlong) => {
      const transport = createScriptedTransport();
      const { chat, store, platform, gateway } = createCoreGateway(transport, {
        timeouts: { keepAliveMs: 500, firstTokenMs: 2000, drainMs: 100, clientWriteMs: 100 },
      });
      const client = new AbortController();
      let isGone = false;
      let hasStore = true;
      let frames = '';
      let reader: ReturnType<typeof readFrames> | undefined;
      let isReading = false;
      let isDone = false;
      const read = (): void => {
        if (isReading || isDone || reader === undefined) return;
        isReading = true;
        void reader.next().then((text) => {
          isReading = false;
          if (text === undefined) isDone = true;
          else frames += text;
          if (readsAlong) read();
        });
      };
      let status = 0;
      const responded = chat({ stream: true }, { signal: client.signal }).then((response) => {
        ({ status } = response);
        if (status === 200) reader = readFrames(response);
        if (readsAlong) read();
      });
      await settle();
      let hasHead = false;
      for (const act of [...actions, 'end', 'reset', 'end', 'refuse'] as const) {
        const exchange = transport.exchanges.at(-1);
        if (
          exchange !== undefined &&
          !['leave', 'abort', 'wait', 'read', 'close', 'fail store', 'refuse'].includes(act)
        ) {
          if (exchange.pulls === 0) exchange.respond();
          hasHead = true;
        }
        if (act === 'text') exchange?.push(toEvent(piece('x')));
        if (act === 'thought') exchange?.push(toEvent({ choices: [{ delta: { reasoning: 'hm' } }] }));
        if (act === 'stop') exchange?.push(toEvent(stop));
        if (act === 'usage') exchange?.push(toEvent(usage));
        if (act === 'error') exchange?.push(toEvent({ error: { message: 'no', code: 429 } }));
        if (act === 'garbage') exchange?.push('data: {oops\n\n');
        if (act === 'marker') exchange?.push('data: [DONE]\n\n');
        if (act === 'end') exchange?.end();
        if (act === 'reset') exchange?.fail(connectionReset());
        if (act === 'refuse' && !hasHead) {
          exchange?.respond(503);
          exchange?.end();
        }
        if (act === 'abort') {
          client.abort();
          isGone = true;
        }
        if (act === 'leave' && reader !== undefined) {
          await reader.leave();
          isGone = true;
        }
        if (act === 'wait') await platform.advance(700);
        if (act === 'read') read();
        if (act === 'close') void gateway.close();
        if (act === 'fail store') {
          store.failAppends(new Error('full'));
          hasStore = false;
        }
        await settle();
      }
      // A client that is still there reads on to the end.
      for (let i = 0; i < 60 && !isDone && status !== 499; i += 1) {
        read();
        await platform.advance(100);
      }
      await responded;
      await settle();

      expect(gateway.stats()).toEqual({ openCalls: 0, openStreams: 0 });
      expect(store.appendCalls()).toBe(1);
      expect(hasStore ? [1] : [0, 1]).toContain(store.appended.length);
      expect(transport.exchanges.length).toBeLessThanOrEqual(2);
      const parsed = parseFrames(frames);
      const ends = parsed.filter((frame) => frame === 'done').length;
      expect(status === 200 && !isGone ? [1] : [0, 1]).toContain(ends);
      expect(parsed.slice(0, -1)).not.toContain('done');
      const reasons = chunksOf(frames).flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
      expect(reasons.length).toBe(ends);
      expect(chunksOf(frames).filter((chunk) => chunk.usage)).toHaveLength(
        reasons.filter((reason) => reason !== 'error').length,
      );
      // The reader received the recorded outcome, unless it received the error that recording failed.
      const record = store.appended[0]?.record.generation;
      const recorded = record?.cancelled === true ? 'cancelled' : record?.finish_reason;
      expect([undefined, recorded, ...(hasStore ? [] : ['error'])]).toContain(reasons[0]);
    }),
    { numRuns: 150 },
  );
});
