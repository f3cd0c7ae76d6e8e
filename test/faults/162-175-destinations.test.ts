import { createHash } from 'node:crypto';

import type { GatewayOptions } from '@model-gateway/core';
import { expect, test, vi } from 'vitest';

import { createBroadcastOptions } from '../support/broadcast/broadcast-options.ts';
import { spansIn } from '../support/broadcast/otlp.ts';
import { type Receiver, startReceiver } from '../support/broadcast/receiver.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { respondWell, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

interface Data {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly state: string; readonly last_result: string }[];
  readonly destinations: readonly { readonly destination_id: string; readonly queued: number }[];
}

async function setUp(options: Partial<GatewayOptions> = {}) {
  const upstream = await startRawUpstream((request) => respondWell(request, 'Mail me@example.com'));
  const gateway = await startFaultGateway([upstream], {
    gateway: { broadcast: createBroadcastOptions(), ...options },
  });
  const admin = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${gateway.listener.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const add = async (type: string, config: object, settings: object = {}): Promise<Data> => {
    const made = await admin('POST', '/api/v1/observability/destinations', { type, name: type, config, ...settings });
    return (made as { readonly data: Data }).data;
  };
  const deliveries = (): Promise<Listed> => admin('GET', '/admin/v1/destinations/deliveries') as Promise<Listed>;
  return { ...gateway, admin, add, deliveries };
}

const addWebhook = ({ add }: Awaited<ReturnType<typeof setUp>>, { url }: Pick<Receiver, 'url'>) =>
  add('webhook', { url: `${url}/` });
const idsAt = (receiver: Receiver): unknown[] =>
  receiver.requests.flatMap(spansIn).map(({ attributes }) => attributes['gen_ai.response.id']);
async function askTimes({ ask }: Pick<FaultGateway, 'ask'>, times: number): Promise<void> {
  await Promise.all(Array.from({ length: times }, async () => (await ask()).text()));
}

test('sends what a call was about, streamed or not, with its session, its user and its trace', async () => {
  const gateway = await setUp();
  const receiver = await startReceiver();
  await addWebhook(gateway, receiver);
  const said = {
    user: 'user-1',
    session_id: 's-1',
    trace: { trace_id: 'my-trace', generation_name: 'G', team: 'blue' },
  };
  await (await gateway.ask(said)).text();
  await gateway.stream(said);
  await vi.waitFor(() => expect(idsAt(receiver)).toHaveLength(2));
  const spans = receiver.requests.flatMap(spansIn);
  const traceId = createHash('sha256').update('my-trace').digest('hex').slice(0, 32);
  for (const span of spans) {
    expect(span).toMatchObject({ name: 'G', traceId });
    expect(span.attributes).toMatchObject({
      'gen_ai.request.model': 'test/model',
      'gen_ai.completion': 'Mail me@example.com',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 8,
      'gen_ai.usage.total_cost': 0.000028,
      'session.id': 's-1',
      'user.id': 'user-1',
      'trace.metadata.team': 'blue',
      'trace.metadata.openrouter.api_key_name': 'test',
    });
  }
  expect(spans.map(({ attributes }) => attributes['gen_ai.request.stream'])).toEqual([false, true]);
});

test('153: what guardrails have redacted is redacted in what is broadcast, and in privacy mode there is nothing of it', async () => {
  const gateway = await setUp();
  const [open, closed] = [await startReceiver(), await startReceiver()];
  await addWebhook(gateway, open);
  await gateway.add('webhook', { url: `${closed.url}/` }, { privacy_mode: true });
  const { data } = (await gateway.admin('POST', '/api/v1/guardrails', {
    name: 'Redact',
    content_filter_builtins: [{ slug: 'email', action: 'redact', direction: 'both' }],
  })) as { readonly data: Data };
  const made = (await gateway.admin('POST', '/api/v1/keys', { name: 'guarded' })) as { key: string; data: Data };
  const hashes = { key_hashes: [made.data['hash']] };
  await gateway.admin('POST', `/api/v1/guardrails/${data.id}/assignments/keys`, hashes);
  const canary = 'canary@example.com';
  const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' };
  const response = await gateway.ask({ messages: [{ role: 'user', content: `I am ${canary}` }] }, { headers });
  expect(response.status).toBe(200);
  await Promise.all([open.received(1), closed.received(1)]);
  const sent = open.requests[0]?.body.toString() ?? '';
  expect(sent).toContain('I am ');
  expect(sent).not.toMatch(/canary@|me@example/);
  expect(closed.requests[0]?.body.toString()).not.toMatch(/I am|Mail|gen_ai.(prompt|completion|input.messages)/);
});

test('165: receivers that are silent, slow, endless or cut the line hold up neither calls nor a healthy one', async () => {
  const gateway = await setUp();
  const well = await startReceiver();
  const bad = await Promise.all([
    startReceiver(() => undefined),
    startReceiver((response) => response.socket?.resetAndDestroy()),
    startReceiver((response) => void response.writeHead(200).write('{"slow":')),
    startReceiver((response) => {
      response.writeHead(500);
      const pour = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', pour);
      };
      response.on('error', () => undefined);
      pour();
    }),
  ]);
  await Promise.all(bad.map((receiver) => gateway.add('otel-collector', { endpoint: receiver.url })));
  await addWebhook(gateway, well);
  await askTimes(gateway, 20);
  await vi.waitFor(() => expect(idsAt(well)).toHaveLength(20), 5000);
  await Promise.all(bad.map((receiver) => receiver.received(1)));
  await vi.waitFor(async () => {
    const results = (await gateway.deliveries()).data.map(({ last_result: result }) => result);
    expect(results).toContain('HTTP 500');
    expect(results.length).toBeGreaterThanOrEqual(2);
  });
});

test('162: a redirect is not followed; 175: what is told of a failure names no address and quotes nothing', async () => {
  const gateway = await setUp();
  const target = await startReceiver();
  const receiver = await startReceiver((response) =>
    response.writeHead(307, { location: `${target.url}/CANARY` }).end('CANARY'),
  );
  const { id } = await addWebhook(gateway, receiver);
  await askTimes(gateway, 1);
  await vi.waitFor(async () => expect((await gateway.deliveries()).data).toHaveLength(1));
  expect((await gateway.deliveries()).data).toMatchObject([{ state: 'failed', last_result: 'HTTP 307' }]);
  await receiver.close();
  const tested = await gateway.admin('POST', `/admin/v1/observability/destinations/${id}/test`);
  expect(tested).toMatchObject({
    data: { success: false, result: expect.not.stringContaining('127.0.0.1') as string },
  });
  expect(target.requests).toEqual([]);
  expect(JSON.stringify([tested, await gateway.deliveries(), gateway.logged])).not.toMatch(/CANARY|127\.0\.0\.1/);
});

test('173: a dead letter is listed and resent with the same ids', async () => {
  const gateway = await setUp();
  const receiver = await startReceiver((response, _, index) => response.writeHead(index === 0 ? 403 : 200).end());
  await addWebhook(gateway, receiver);
  await askTimes(gateway, 1);
  await vi.waitFor(async () => expect((await gateway.deliveries()).data).toHaveLength(1));
  const [letter] = (await gateway.deliveries()).data;
  expect(letter).toMatchObject({ state: 'failed', attempts: 1, last_result: 'HTTP 403', next_attempt_at: null });
  const resent = await gateway.admin('POST', `/admin/v1/destinations/deliveries/${letter?.id}/resend`);
  expect(resent).toMatchObject({ data: { id: letter?.id, state: 'waiting', attempts: 0 } });
  await receiver.received(2);
  await vi.waitFor(async () => expect((await gateway.deliveries()).data).toEqual([]));
  const [first, second] = idsAt(receiver);
  expect(second).toBe(first);
});

test('174: a destination that is deleted is sent nothing more within a second', async () => {
  const gateway = await setUp();
  const receiver = await startReceiver();
  const { id } = await addWebhook(gateway, receiver);
  await askTimes(gateway, 1);
  await receiver.received(1);
  await gateway.admin('DELETE', `/api/v1/observability/destinations/${id}`);
  const other = await startReceiver();
  await addWebhook(gateway, other);
  await askTimes(gateway, 3);
  await vi.waitFor(() => expect(idsAt(other)).toHaveLength(3));
  expect(receiver.requests).toHaveLength(1);
});

test('164: an address that turns out to be private is not called', async () => {
  const gateway = await setUp({
    broadcast: { ...createBroadcastOptions(false), findUrlProblem: () => undefined },
  });
  const receiver = await startReceiver();
  const { id } = await addWebhook(gateway, receiver);
  await askTimes(gateway, 1);
  await vi.waitFor(async () => expect((await gateway.deliveries()).data).toHaveLength(1));
  const tested = await gateway.admin('POST', `/admin/v1/observability/destinations/${id}/test`);
  expect(tested).toMatchObject({
    data: { success: false, result: 'the address may not be called' },
  });
  expect(receiver.requests).toEqual([]);
});

test.each([
  ['webhook', (url: string) => ({ url: `${url}/hook`, method: 'PUT' }), 'PUT /hook', 400, 200],
  ['otel-collector', (url: string) => ({ endpoint: url }), 'POST /v1/traces', 400, 200],
  [
    'langfuse',
    (baseUrl: string) => ({ baseUrl, publicKey: 'p', secretKey: 's' }),
    'POST /api/public/ingestion',
    401,
    207,
  ],
  [
    's3',
    (endpoint: string) => ({ endpoint, bucketName: 'b', accessKeyId: 'a', secretAccessKey: 's' }),
    'PUT /b/model-gateway-connection-test.json',
    403,
    200,
  ],
])('tests a %s without content, and says what came of it', async (type, toConfig, request, first, second) => {
  const gateway = await setUp();
  const statuses = [first, second];
  const receiver = await startReceiver((response, _, index) => response.writeHead(statuses[index] ?? 500).end('{}'));
  const { id } = await gateway.add(type, toConfig(receiver.url), { enabled: false });
  const test = (): Promise<unknown> => gateway.admin('POST', `/admin/v1/observability/destinations/${id}/test`);
  expect(await test()).toMatchObject({ data: { success: first === 400, result: `HTTP ${first}` } });
  expect(await test()).toEqual({
    data: { success: true, result: `HTTP ${second}`, duration_ms: expect.any(Number) as number },
  });
  expect(receiver.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([request, request]);
  if (type !== 's3') expect(receiver.requests[0]?.headers['x-test-connection']).toBe('true');
  expect(receiver.requests[0]?.body.length).toBeLessThan(100);
});
