import { expect, onTestFinished, test, vi } from 'vitest';

import { settle } from '../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../test/support/gateways/body-of.ts';
import {
  API_KEY,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
  parseFrames,
  readFrames,
} from '../../../test/support/gateways/core-gateway.ts';
import { createRecordingStore } from '../../../test/support/stores/recording-store.ts';
import { toEvent, toEventPieces } from '../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport, createScriptedTransport } from '../../../test/support/upstreams/scripted-transport.ts';
import type { Principal } from './http/request.ts';
import type { WholeProvider } from './providers/provider.ts';
import type { StoreReadiness } from './stores/store.ts';

const idle = createScriptedTransport();
const piece = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] };
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const WHOLE = {
  headers: { 'content-type': 'application/json' },
  pieces: ['{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'],
};

// Health and figures

test('reports that it is healthy and ready', async () => {
  const { get } = createCoreGateway(idle);
  expect(jsonOf(await get('/health', null))).toEqual({ status: 'ok' });
  expect(jsonOf(await get('/ready', null))).toEqual({ status: 'ready' });
});

test('is healthy and not ready, with the reason, while its store cannot serve', async () => {
  let isReady = false;
  const recordingStore = Object.assign(createRecordingStore({}), {
    readiness: (): StoreReadiness => (isReady ? { isReady } : { isReady, reason: 'the database cannot be reached' }),
  });
  const { get } = createCoreGateway(idle, { recordingStore });
  expect(jsonOf(await get('/health', null))).toEqual({ status: 'ok', trouble: 'store_not_ready' });
  const response = await get('/ready', null);
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(jsonOf(response)).toMatchObject({
    error: { code: 503, message: 'The gateway is not ready: the database cannot be reached' },
  });
  isReady = true;
  expect(await get('/ready', null)).toMatchObject({ status: 200 });
});

test('shows figures without a key only to who asks for this machine as such', async () => {
  const { gateway } = createCoreGateway(createReplayTransport(WHOLE));
  const statusOf = async (headers: Record<string, string>): Promise<number> => {
    const request = { method: 'GET', path: '/metrics', query: '', baseUrl: '', remoteAddress: '127.0.0.1', headers };
    return (await gateway.handle({ ...request, signal: new AbortController().signal, ...bodyOf() })).status;
  };
  for (const host of ['localhost', 'LOCALHOST:80', '127.8.8.8:9', '[::1]:8080'])
    expect([host, await statusOf({ host })]).toEqual([host, 200]);
  expect(await statusOf({})).toBe(401);
  // A page whose own name leads to this machine, or a proxy on it that does not say so.
  for (const host of ['evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example', '127.evil.example']) {
    expect([host, await statusOf({ host })]).toEqual([host, 401]);
    expect(await statusOf({ host, authorization: `Bearer ${MANAGEMENT_KEY}` })).toBe(200);
  }
});

test('shows figures to callers on this machine, and to others with a management key', async () => {
  const { gateway, chat } = createCoreGateway(createReplayTransport(WHOLE, { status: 500, pieces: [] }));
  await chat();
  await chat({ provider: { allow_fallbacks: false } });
  const metrics = (remoteAddress: string | undefined, key?: string): ReturnType<typeof gateway.handle> =>
    gateway.handle({
      method: 'GET',
      path: '/metrics',
      query: '',
      baseUrl: '',
      remoteAddress,
      signal: new AbortController().signal,
      headers: { host: '127.0.0.1:8080', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...bodyOf(),
    });
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    expect((await metrics(address)).status).toBe(200);
  for (const address of ['10.0.0.1', '::2', '1.127.0.0', 'evil-::1', undefined]) {
    expect((await metrics(address)).status).toBe(401);
    expect((await metrics(address, API_KEY)).status).toBe(403);
  }
  const { body: text, headers } = await metrics('192.0.2.1', MANAGEMENT_KEY);
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const body = text as string;
  expect(body).toContain('model_gateway_requests_total 17\n');
  expect(body).toContain('model_gateway_generations_total{outcome="completed"} 1\n');
  expect(body).toContain('model_gateway_generations_total{outcome="failed"} 1\n');
  expect(body).toContain('model_gateway_generations_total{outcome="cancelled"} 0\n');
  expect(body).toContain('model_gateway_open_streams 0\n');
  for (const line of body.trimEnd().split('\n'))
    expect(line).toMatch(/^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[\w.+-]*",?)+\})? [\d.e-]+$/);
});

test('shows figures to a management key, too, where the host has its own sign-in', async () => {
  const { gateway } = createCoreGateway(idle);
  const statusFor = async (principal: Principal | null, key?: string): Promise<number> => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const request = { method: 'GET', path: '/metrics', query: '', baseUrl: '', headers, ...bodyOf() };
    const { signal } = new AbortController();
    return (await gateway.handle({ ...request, signal, authenticate: () => principal })).status;
  };
  expect(await statusFor({ kind: 'management', id: 'ada', name: 'Ada' })).toBe(200);
  expect(await statusFor({ kind: 'api', id: 'bob', name: 'Bob' }, MANAGEMENT_KEY)).toBe(403);
  expect(await statusFor(null, MANAGEMENT_KEY)).toBe(200);
  expect(await statusFor(null)).toBe(401);
});

// Closing

test('takes no more calls once it closes, and lets those under way finish', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(piece));
  });
  const { gateway, chat, get, platform, store } = createCoreGateway(transport, { timeouts: { drainMs: 5000 } });
  const reader = readFrames(await chat({ stream: true }));
  let isClosed = false;
  const closing = gateway.close().then(() => (isClosed = true));
  await settle();

  const refused = await chat({ stream: true });
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(await get('/ready', null)).toMatchObject({ status: 503 });
  expect(jsonOf(await get('/health', null))).toEqual({ status: 'ok', trouble: 'closing' });

  await platform.advance(4000);
  expect(isClosed).toBe(false);
  transport.exchanges[0]?.push(toEvent(stop));
  transport.exchanges[0]?.end();
  expect(await reader.rest()).toContain('"finish_reason":"stop"');
  await platform.advance(100);
  await closing;
  expect(store.appended.map(({ record }) => record.generation.finish_reason)).toEqual(['stop']);
});

test('ends what does not finish in time with an error that clients understand, and records it', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    if (exchange.sent['stream'] === true) exchange.push(toEvent(piece));
  });
  const { gateway, chat, platform, store } = createCoreGateway(transport, { timeouts: { drainMs: 5000 } });
  const streamed = readFrames(await chat({ stream: true })).rest();
  const whole = chat();
  await settle();
  expect(gateway.stats()).toEqual({ openCalls: 2, openStreams: 1 });
  const closing = gateway.close();
  await platform.advance(5100);
  await closing;

  const frames = parseFrames(await streamed);
  expect(frames.slice(-2)).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ code: 503 }) as object }),
    'done',
  ]);
  expect((await whole).status).toBe(503);
  expect(transport.exchanges.every(({ isClosed }) => isClosed)).toBe(true);
  expect(store.appended.map(({ record }) => [record.generation.finish_reason, record.generation.cancelled])).toEqual([
    ['error', false],
    ['error', false],
  ]);
  expect(gateway.stats().openCalls).toBe(0);
});

test('waits when it closes until everything is written down', async () => {
  const transport = createReplayTransport({ pieces: toEventPieces([piece, stop]) });
  const { gateway, chat, platform, store } = createCoreGateway(transport, {
    timeouts: { drainMs: 100, clientWriteMs: 5000 },
  });
  const release = store.holdAppends();
  const reading = readFrames(await chat({ stream: true })).rest();
  await settle();
  let isClosed = false;
  const closing = gateway.close().then(() => (isClosed = true));
  await platform.advance(1000);
  expect(isClosed).toBe(false);
  release();
  await platform.advance(100);
  await closing;
  expect(await reading).toContain('[DONE]');
  expect(store.appended).toHaveLength(1);
});

test('the log of a call that failed inside names its generation, as the response does', async () => {
  const broken: WholeProvider = {
    ...createScriptedProvider('acme', []),
    chatWhole: () => Promise.reject(new TypeError('the house model has a bug')),
  };
  const { chat, logged } = createCoreGateway([broken, createScriptedProvider('beta', [])]);
  const { status, headers } = await chat({ provider: { only: ['acme'] } });
  expect(status).toBe(500);
  const lines = logged.filter(({ line }) => line === 'error a request failed');
  expect(lines.map(({ fields }) => fields)).toEqual([expect.objectContaining({ id: headers['x-generation-id'] })]);
  expect(headers['x-generation-id']).toMatch(/^gen-/);
});

test('without a logger the reason of a 500 goes to console.error, and nothing else is written', async () => {
  const written = [vi.spyOn(console, 'error').mockImplementation(() => undefined)];
  for (const name of ['log', 'info', 'warn'] as const) written.push(vi.spyOn(console, name));
  onTestFinished(() => void vi.restoreAllMocks());
  const broken: WholeProvider = {
    ...createScriptedProvider('acme', []),
    chatWhole: () => Promise.reject(new TypeError('the house model has a bug')),
  };
  const { chat } = createCoreGateway([broken, createScriptedProvider('beta', [])], { logger: undefined });
  expect((await chat({ provider: { only: ['acme'] } })).status).toBe(500);
  expect(written.map(({ mock }) => mock.calls)).toEqual([
    [['model-gateway: a request failed', expect.objectContaining({ reason: expect.stringContaining('has a bug') })]],
    [],
    [],
    [],
  ]);
});
