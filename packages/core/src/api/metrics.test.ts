import { expect, test } from 'vitest';

import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import {
  API_KEY,
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createGateway } from '../gateway.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

const COMPLETION: readonly ChatChunk[] = [
  {
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' },
    ],
    usage: {
      prompt_tokens: 30,
      completion_tokens: 20,
      total_tokens: 50,
      prompt_tokens_details: { cached_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  },
];

/** Every sample by its name and labels, without the prefix. */
async function readMetrics({ gateway }: Pick<CoreGateway, 'gateway'>): Promise<Map<string, number>> {
  const { body } = await gateway.handle({
    method: 'GET',
    path: '/metrics',
    query: '',
    baseUrl: '',
    remoteAddress: '127.0.0.1',
    signal: new AbortController().signal,
    headers: { host: 'localhost:8080' },
    ...bodyOf(),
  });
  const lines = (body as string)
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice('model_gateway_'.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

const kind = 'provider="Acme",api_type="completions"';

test('adds up calls, tokens, cost and times by provider', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', [COMPLETION]), createScriptedProvider('beta', [])]);
  await core.chat();
  await readFrames(await core.chat({ stream: true })).rest();
  const metrics = await readMetrics(core);
  expect(metrics.get(`provider_generations_total{${kind},status="ok"}`)).toBe(2);
  expect(metrics.get(`tokens_total{${kind},kind="prompt"}`)).toBe(60);
  expect(metrics.get(`tokens_total{${kind},kind="completion"}`)).toBe(40);
  expect(metrics.get(`tokens_total{${kind},kind="reasoning"}`)).toBe(10);
  expect(metrics.get(`tokens_total{${kind},kind="cached"}`)).toBe(20);
  expect(metrics.get(`cost_usd_total{${kind},paid_by="account"}`)).toBe(0.00014);
  expect(metrics.get(`cost_usd_total{${kind},paid_by="caller"}`)).toBe(0);
  expect(metrics.get(`generation_duration_seconds_count{${kind}}`)).toBe(2);
  expect(metrics.get(`first_token_seconds_count{${kind}}`)).toBe(1);
  expect(metrics.get(`responses_total{status="200"}`)).toBe(2);
});

test.each([true, false])('223: tells whether retention waits (%s), where a store has one', async (isHeld) => {
  const store = { ...createMemoryStore(), retention: { now: () => 0, isHeld: () => isHeld } };
  const metrics = await readMetrics({ gateway: createGateway({ providers: [], store }) });
  expect(metrics.get('retention_held')).toBe(isHeld ? 1 : 0);
  expect((await readMetrics(createCoreGateway([], { models: [] }))).has('retention_held')).toBe(false);
});

test('sorts times into buckets that add up', async () => {
  const slow = (): Promise<void> => new Promise((resolve) => core.platform.setTimer(resolve, 700));
  const core: CoreGateway = createCoreGateway([
    createScriptedProvider('acme', [COMPLETION], slow),
    createScriptedProvider('beta', []),
  ]);
  const completed = core.chat();
  await core.platform.advance(700);
  await completed;
  const metrics = await readMetrics(core);
  const bucket = (bound: string) => metrics.get(`generation_duration_seconds_bucket{${kind},le="${bound}"}`);
  expect(['0.5', '1', '2.5', '600', '+Inf'].map(bucket)).toEqual([0, 1, 1, 1, 1]);
  expect(metrics.get(`generation_duration_seconds_sum{${kind}}`)).toBe(0.7);
});

test('counts every attempt, and how the endpoints of a provider stand', async () => {
  const fail = (): never => {
    throw new GatewayError('provider_unavailable', 'Acme is down', { upstreamStatus: 500 });
  };
  const core = createCoreGateway([
    createScriptedProvider('acme', [], fail),
    createScriptedProvider('beta', [COMPLETION]),
  ]);
  expect((await core.chat()).status).toBe(200);
  const metrics = await readMetrics(core);
  expect(metrics.get(`attempts_total{${kind},outcome="failed"}`)).toBe(1);
  expect(metrics.get(`attempts_total{${kind},outcome="ok"}`)).toBe(0);
  expect(metrics.get('attempts_total{provider="Beta",api_type="completions",outcome="ok"}')).toBe(1);
  expect(metrics.get('endpoints{provider="acme",state="failing",standing="failing"}')).toBe(1);
  expect(metrics.get('endpoints{provider="beta",state="steady",standing="steady"}')).toBe(1);
  expect(metrics.get('endpoints{provider="beta",state="unused",standing="unused"}')).toBe(1);
  for (let count = 0; count < 5; count += 1) await core.chat({ provider: { only: ['acme'] } });
  expect((await readMetrics(core)).get('endpoints{provider="acme",state="open",standing="open"}')).toBe(1);
});

test('shows what is held and what waits, and nothing of it when it is done', async () => {
  const film = createScriptedVideos({
    progress: (_, number) => ({ status: number < 2 ? 'in_progress' : 'completed', outputs: [{}] }),
  });
  const core = createCoreGateway([film.provider], {
    account: { creditsUsd: 10 },
    models: [
      {
        id: 'acme/film',
        architecture: { input_modalities: ['text'], output_modalities: ['video'] },
        endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
      },
    ],
  });
  const starting = core.gateway.start();
  await core.platform.advance(0);
  await starting;
  await core.post('/api/v1/videos', { model: 'acme/film', prompt: 'a fox', duration: 4 });
  const during = await readMetrics(core);
  expect([during.get('budget_reserved_usd'), during.get('queue_depth{queue="videos"}')]).toEqual([0.4, 1]);
  await core.platform.advance(600_000);
  const after = await readMetrics(core);
  expect([after.get('budget_reserved_usd'), after.get('queue_depth{queue="videos"}')]).toEqual([0, 0]);
  expect(after.get('cost_usd_total{provider="Film",api_type="video",paid_by="account"}')).toBe(0.4);
  expect(after.get('provider_generations_total{provider="Film",api_type="video",status="ok"}')).toBe(1);
});

/** The response to a scrape from another machine. */
function scrape({ gateway }: Pick<CoreGateway, 'gateway'>, authorization: string | undefined) {
  return gateway.handle({
    method: 'GET',
    path: '/metrics',
    query: '',
    baseUrl: '',
    remoteAddress: '192.0.2.7',
    signal: new AbortController().signal,
    headers: authorization === undefined ? {} : { authorization },
    ...bodyOf(),
  });
}

test('admits another machine by a token of its own, which nothing else takes', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', [COMPLETION]), createScriptedProvider('beta', [])], {
    metrics: { token: 'scrape-0123456789' },
  });
  expect((await scrape(core, 'Bearer scrape-0123456789')).status).toBe(200);
  expect((await scrape(core, `Bearer ${MANAGEMENT_KEY}`)).status).toBe(200);
  expect((await scrape(core, `Bearer ${API_KEY}`)).status).toBe(403);
  for (const wrong of [undefined, 'Bearer scrape-012345678', 'Bearer scrape-01234567890', 'scrape-0123456789']) {
    expect((await scrape(core, wrong)).status, wrong).toBe(401);
  }
  expect((await core.get('/api/v1/keys', 'scrape-0123456789')).status).toBe(401);
});

test('answers at once while the store is away, with the token, and says so', async () => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const memory = createMemoryStore();
  const store = {
    ...memory,
    keys: { ...memory.keys, get: never },
    videoJobs: { ...memory.videoJobs, list: never, listWorking: never },
    engine: { type: 'postgres', address: 'db:5432', outage: () => 'The database is away' },
    figures: () => ({ waitingRecords: 7, journalBytes: 4096, journalLimitBytes: 8192 }),
  };
  const shared = { engine: { type: 'redis', address: 'redis:6379', outage: () => null } };
  const gateway = createGateway({ providers: [], store, shared, metrics: { token: 'scrape' } });
  expect((await scrape({ gateway }, 'Bearer scrape')).status).toBe(200);
  const metrics = await readMetrics({ gateway });
  expect(metrics.get('store_up{type="postgres"}')).toBe(0);
  expect(metrics.get('shared_up{type="redis"}')).toBe(1);
  expect(['waiting_records', 'journal_bytes', 'journal_limit_bytes'].map((name) => metrics.get(name))).toEqual([
    7, 4096, 8192,
  ]);
  // What only the database knows is left out.
  expect(metrics.has('queue_depth{queue="videos"}')).toBe(false);
  expect(metrics.get('queue_depth{queue="broadcasts"}')).toBe(0);
});

test('counts refusals by the code of the error', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', [COMPLETION]), createScriptedProvider('beta', [])]);
  for (let count = 0; count < 3; count += 1) await core.chat({ model: 'nobody/has' });
  await core.get('/api/v1/keys', 'sk-wrong');
  const metrics = await readMetrics(core);
  expect(metrics.get('refusals_total{code="unknown_model"}')).toBe(3);
  expect(metrics.get('refusals_total{code="authentication"}')).toBe(1);
});

test('has no label that a caller could choose', async () => {
  const core = createCoreGateway([createScriptedProvider('acme', [COMPLETION]), createScriptedProvider('beta', [])]);
  for (let index = 0; index < 20; index += 1) {
    await core.chat({ user: `user-${index}`, session_id: `s-${index}` }, { path: '/api/v1/chat/completions' });
    await core.get(`/api/v1/nowhere-${index}`);
    await core.chat({ model: `nobody/has-${index}` });
  }
  const before = (await readMetrics(core)).size;
  for (let index = 20; index < 40; index += 1) {
    await core.chat({ user: `user-${index}`, session_id: `s-${index}` });
    await core.get(`/api/v1/nowhere-${index}`);
    await core.chat({ model: `nobody/has-${index}` });
  }
  expect((await readMetrics(core)).size).toBe(before);
});
