import { expect, test } from 'vitest';

import {
  API_KEY,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createRoutedGateway, endpointsAt } from '../../../../test/support/gateways/routed-gateway.ts';
import { chunkings, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import {
  createReplayTransport,
  createScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import { createTurnTransport } from '../../../../test/support/upstreams/scripted-turns.ts';
import type { ServerTool } from '../chat/stages/server-tools/server-tool.ts';
import { type StoredContent } from '../stores/generations.ts';
import type { CallTimelineReport } from '../wire/generation.ts';

const COMPLETION = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]);
const WHOLE = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });
const JSON_HEADERS = { 'content-type': 'application/json' };
const path = (id: string): string => `/admin/v1/generations/${id}/call-timeline`;

type Core = ReturnType<typeof createCoreGateway>;
const idOf = ({ store }: Core): string => store.appended.at(-1)?.record.generation.id ?? '';
const timelineOf = async (core: Core) =>
  (jsonOf(await core.get(path(idOf(core)), MANAGEMENT_KEY)) as { data: CallTimelineReport }).data;

test.each(chunkings(COMPLETION))('returns the timelines of a streamed call (%s)', async (_name, pieces) => {
  const core = createCoreGateway(createReplayTransport({ pieces }));
  await readFrames(await core.chat({ stream: true })).rest();
  expect(await timelineOf(core)).toEqual({
    call: {
      before_ms: { request: 0, guardrails: 0, routing: 0, rate_limits: 0 },
      attempts_ms: [0],
      charges: [
        { unit: 'prompt', count: 6, price: '0.000001' },
        { unit: 'completion', count: 2, price: '0.000002' },
      ],
      decision: {
        requested: 'acme/chat',
        strategy: 'direct',
        ordered_by: 'price',
        candidates: [
          { provider: 'acme', provider_name: 'Acme', model: 'acme/chat' },
          { provider: 'beta', provider_name: 'Beta', model: 'acme/chat' },
        ],
      },
    },
    stream: { interval_ms: 20, gaps_ms: [0], text: [5] },
    arrivals: [],
  });
});

test('tells when each attempt began, and which endpoint was excluded by which rule', async () => {
  const upstream = createScriptedTransport();
  const core = createCoreGateway(upstream);
  const chat = core.chat({ provider: { order: ['beta', 'acme'] } });
  await core.platform.advance(0);
  await core.platform.advance(250);
  upstream.latest().respond(503, JSON_HEADERS);
  upstream.latest().end();
  await core.platform.advance(0);
  await core.platform.advance(40);
  upstream.latest().respond(200, JSON_HEADERS);
  upstream.latest().push(WHOLE);
  upstream.latest().end();
  expect((await chat).status).toBe(200);
  expect(await timelineOf(core)).toMatchObject({
    call: {
      attempts_ms: [0, 250],
      decision: {
        ordered_by: 'order',
        candidates: [{ provider: 'beta' }, { provider: 'acme' }],
      },
    },
    stream: null,
  });
  const narrowed = core.chat({ provider: { only: ['acme'] } });
  await core.platform.advance(0);
  upstream.latest().respond(200, JSON_HEADERS);
  upstream.latest().push(WHOLE);
  upstream.latest().end();
  await narrowed;
  const { call } = await timelineOf(core);
  expect(call?.decision).not.toHaveProperty('ordered_by');
  expect(call?.decision?.candidates).toEqual([
    { provider: 'acme', provider_name: 'Acme', model: 'acme/chat' },
    { provider: 'beta', provider_name: 'Beta', model: 'acme/chat', rule: 'only' },
  ]);
});

test('stores no decision where there was nothing to decide', async () => {
  const core = createCoreGateway(createReplayTransport({ headers: JSON_HEADERS, pieces: [WHOLE] }));
  await core.chat({ model: 'acme/other' });
  const { call } = await timelineOf(core);
  expect(call?.attempts_ms).toEqual([0]);
  expect(call).not.toHaveProperty('decision');
});

test('names the endpoint that was passed over because it would have refused the same', async () => {
  const upstream = createReplayTransport({
    status: 400,
    headers: JSON_HEADERS,
    pieces: ['{"error":{"message":"No."}}'],
  });
  const core = createCoreGateway(upstream);
  expect((await core.chat()).status).toBe(400);
  expect((await timelineOf(core)).call?.decision?.candidates).toMatchObject([
    { provider: 'acme' },
    { provider: 'beta', skipped: 'same_refusal' },
  ]);
});

test('names the endpoint that was passed over because three others had failed', async () => {
  const slugs = ['one', 'two', 'three', 'four'];
  const core = createRoutedGateway(
    Object.fromEntries(slugs.map((slug) => [slug, { behaviour: 'provider_unavailable' }])),
    [{ id: 'r/chat', endpoints: endpointsAt({ one: 1, two: 2, three: 3, four: 4 }) }],
  );
  expect((await core.ask({ provider: { order: slugs } })).status).toBe(502);
  const candidates = (await timelineOf(core)).call?.decision?.candidates;
  expect(candidates?.map(({ provider, skipped }) => [provider, skipped])).toEqual([
    ['one', undefined],
    ['two', undefined],
    ['three', undefined],
    ['four', 'attempt_limit'],
  ]);
});

test('names the endpoint that was passed over because the last attempt is kept for the next model', async () => {
  const slugs = ['one', 'two', 'three'];
  const core = createRoutedGateway(
    { ...Object.fromEntries(slugs.map((slug) => [slug, { behaviour: 'provider_overloaded' }])), four: {} },
    [
      { id: 'a/first', endpoints: endpointsAt({ one: 1, two: 2, three: 3 }) },
      { id: 'a/second', endpoints: endpointsAt({ four: 4 }) },
    ],
  );
  await core.ask({ model: 'a/first', models: ['a/second'], provider: { sort: 'price' } });
  const candidates = (await timelineOf(core)).call?.decision?.candidates;
  expect(candidates?.map(({ provider, skipped }) => [provider, skipped])).toEqual([
    ['one', undefined],
    ['two', undefined],
    ['three', 'attempt_limit'],
    ['four', undefined],
  ]);
});

test('counts what moderation and a search took, before the call was admitted and after', async () => {
  const core: Core = createCoreGateway(createReplayTransport({ headers: JSON_HEADERS, pieces: [WHOLE] }), {
    moderator: { name: 'Judge', moderate: () => pause(120).then(() => ({ isFlagged: false, reasons: [] })) },
    web: { searchEngine: { name: 'finder', search: () => pause(300).then(() => []) } },
  });
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void core.platform.setTimer(resolve, ms));
  const chat = core.chat({ plugins: [{ id: 'moderation' }, { id: 'web' }] });
  await core.platform.advance(1000);
  expect((await chat).status).toBe(200);
  expect((await timelineOf(core)).call).toMatchObject({
    before_ms: { request: 0, guardrails: 120, routing: 0, rate_limits: 0 },
    attempts_ms: [300],
    steps: [{ kind: 'stage', name: 'web-search', at_ms: 0, took_ms: 300 }],
  });
});

test('counts what rate limits and the holding of money took', async () => {
  const core: Core = createCoreGateway(createReplayTransport({ headers: JSON_HEADERS, pieces: [WHOLE] }), {
    rateLimits: {
      rules: [{ key: '*', model: '*', requestsPerMinute: 10, tokensPerMinute: null }],
      createCounter: () => ({
        take: () => pause(40).then(() => ({ isExceeded: false, resetInMs: 0 })),
        look: () => Promise.resolve({ isExceeded: false, resetInMs: 0 }),
        add: () => Promise.resolve(),
      }),
    },
  });
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void core.platform.setTimer(resolve, ms));
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const made = jsonOf(await core.post('/api/v1/keys', { name: 'limited', limit: 5 }, as(MANAGEMENT_KEY)));
  const chat = core.chat({ max_tokens: 10 }, as(String(made['key'])));
  await core.platform.advance(1000);
  expect((await chat).status).toBe(200);
  expect((await timelineOf(core)).call).toMatchObject({
    before_ms: { guardrails: 0, rate_limits: 40 },
    steps: [{ kind: 'budget', name: 'budgets', at_ms: 0, took_ms: 0 }],
  });
});

test('lists the tools that the gateway ran with their times', async () => {
  const tool: ServerTool = {
    name: 'lookup',
    description: 'Looks up.',
    inputSchema: { type: 'object' },
    open: () => ({ run: () => ({ content: 'green' }) }),
  };
  const upstream = createTurnTransport([{ calls: [['lookup', {}]] }, { content: 'It is green.' }]);
  const core = createCoreGateway(upstream, { serverTools: [tool] });
  await core.chat({ tools: [{ type: 'service:lookup' }] });
  expect((await timelineOf(core)).call).toMatchObject({
    attempts_ms: [0, 0],
    steps: [{ kind: 'tool', name: 'lookup', at_ms: 0, took_ms: 0 }],
  });
});

test('tells what became of deliveries that were noted in the store, before this process too', async () => {
  const upstream = createReplayTransport({ headers: JSON_HEADERS, pieces: [WHOLE] });
  const core = createCoreGateway(upstream);
  await core.chat();
  const attempt = { generationIds: [idOf(core)], sentAt: core.platform.now(), tookMs: 12 };
  await core.store.deliveries.append({ ...attempt, destinationId: 'd', hasArrived: false, result: 'HTTP 500' });
  const sent_at = new Date(core.platform.now()).toISOString();
  expect((await timelineOf(core)).arrivals).toEqual([
    { destination_id: 'd', sent_at, took_ms: 12, has_arrived: false, result: 'HTTP 500' },
  ]);
});

test('stores no timeline without the content, and shows none to keys of the API', async () => {
  const upstream = createReplayTransport({ headers: JSON_HEADERS, pieces: [WHOLE] });
  const core = createCoreGateway(upstream, { logging: { inputOutput: false } });
  await core.chat();
  expect(await timelineOf(core)).toEqual({ call: null, stream: null, arrivals: [] });
  expect((await core.get(path(idOf(core)), API_KEY)).status).toBe(403);

  const storing = createCoreGateway(upstream);
  await storing.chat();
  const content = jsonOf(await storing.get(`/api/v1/generation/content?id=${idOf(storing)}`));
  expect(JSON.stringify(content)).not.toContain('attempts_ms');
});

test('returns the same by its former path, with the former names of fields', async () => {
  const core = createCoreGateway(createReplayTransport({ pieces: COMPLETION }));
  await readFrames(await core.chat({ stream: true })).rest();
  const { call, stream, arrivals } = await timelineOf(core);
  expect(call).not.toBeNull();
  const former = await core.get(`/admin/v1/generations/${idOf(core)}/course`, MANAGEMENT_KEY);
  expect(jsonOf(former)).toEqual({ data: { course: call, timeline: stream, arrivals } });
});

test('reads the timeline of a call that a former version stored as its course, and shows it nowhere else', async () => {
  const core = createCoreGateway(createReplayTransport({ headers: JSON_HEADERS, pieces: [WHOLE] }));
  await core.chat();
  const { record, content = null } = core.store.appended.at(-1) ?? {};
  if (record === undefined || content === null) throw new Error('Nothing is stored');
  const { callTimeline, ...rest }: StoredContent = content;
  const generation = { ...record.generation, id: 'gen-former' };
  await core.store.generations.append({ ...record, generation }, { ...rest, course: callTimeline });
  const read = jsonOf(await core.get(path('gen-former'), MANAGEMENT_KEY)) as { data: CallTimelineReport };
  expect(read.data.call).toMatchObject({ attempts_ms: [0] });
  expect(read.data.call).toEqual(callTimeline);
  const shown = jsonOf(await core.get('/api/v1/generation/content?id=gen-former', API_KEY));
  expect(JSON.stringify(shown)).not.toContain('attempts_ms');
});

test('lists the parts that the cost is the sum of, at the prices of the time', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
  };
  const priced = JSON.stringify({ ...JSON.parse(WHOLE), usage });
  const core = createCoreGateway(createReplayTransport({ pieces: [priced], headers: JSON_HEADERS }));
  expect((await core.chat()).status).toBe(200);
  const { call } = await timelineOf(core);
  const nano = call?.charges?.reduce((sum, { count, price }) => sum + count * Number(price) * 1e9, 0);
  expect(call?.charges?.map(({ unit }) => unit)).toContain('completion');
  expect(call?.charges?.reduce((sum, { count }) => sum + count, 0)).toBe(120);
  expect(nano).toBeCloseTo(core.store.appended.at(-1)?.record.costNanoUsd ?? -1);
});
