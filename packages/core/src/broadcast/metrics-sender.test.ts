import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { startReceiver } from '../../../../test/support/broadcast/receiver.ts';
import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import {
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toRecord } from '../../../../test/support/stores/generation-records.ts';
import { createGenAiFigures } from '../generations/gen-ai-figures.ts';
import { createMemoryStore } from '../stores/memory-store.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { BroadcastDeliveryList } from '../wire/destinations.ts';
import { createMetricsSender } from './metrics-sender.ts';

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}

interface Metric {
  readonly name: string;
  readonly unit?: string;
  readonly sum?: {
    readonly aggregationTemporality: number;
    readonly isMonotonic: boolean;
    readonly dataPoints: Point[];
  };
  readonly histogram?: { readonly aggregationTemporality: number; readonly dataPoints: Point[] };
  readonly gauge?: { readonly dataPoints: Point[] };
}

interface Pushed {
  readonly resourceMetrics: readonly [
    {
      readonly resource: { readonly attributes: Point['attributes'] };
      readonly scopeMetrics: readonly [{ readonly metrics: readonly Metric[] }];
    },
  ];
}

const attributesOf = ({ attributes }: { readonly attributes: Point['attributes'] }): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

/** Checks what every receiver checks: one kind of data each, 64-bit numbers as texts, a count for each bucket. */
function checkForm({ name, sum, histogram, gauge }: Metric): void {
  expect(
    [sum, histogram, gauge].filter((data) => data !== undefined),
    name,
  ).toHaveLength(1);
  for (const point of (sum ?? histogram ?? gauge)?.dataPoints ?? []) {
    expect(point.timeUnixNano, name).toMatch(/^\d{19}$/);
    expect(BigInt(point.startTimeUnixNano)).toBeLessThan(BigInt(point.timeUnixNano));
    if (histogram === undefined) {
      expect(point.asDouble, name).toBeTypeOf('number');
      continue;
    }
    const { bucketCounts = [], explicitBounds = [], count } = point;
    expect(bucketCounts.length, name).toBe(explicitBounds.length + 1);
    expect(
      bucketCounts.reduce((all, each) => all + Number(each), 0),
      name,
    ).toBe(Number(count));
    expect(
      explicitBounds.toSorted((one, other) => one - other),
      name,
    ).toEqual(explicitBounds);
  }
}

/** A gateway whose calls are answered at once. */
function createCalled(): CoreGateway {
  const usage = { prompt_tokens: 12, completion_tokens: 300, total_tokens: 312 };
  const chunk: ChatChunk = {
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' },
    ],
    usage,
  };
  return createCoreGateway([createScriptedProvider('acme', [[chunk]]), createScriptedProvider('beta', [[chunk]])]);
}

const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const addTo = async ({ post }: CoreGateway, destination: object): Promise<void> => {
  const { status } = await post('/api/v1/observability/destinations', { name: 'm', ...destination }, { headers });
  expect(status).toBe(201);
};

async function advance({ platform }: CoreGateway, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) await platform.advance(5000);
}

test('a collector is pushed the figures of the process as OTLP metrics, sums since its start', async () => {
  const receiver = await startReceiver();
  const core = createCalled();
  await core.gateway.start();
  const config = { endpoint: receiver.url, headers: { 'x-tenant': 'a' } };
  await addTo(core, { type: 'otel-collector', config, metrics_every_seconds: 30 });
  await advance(core, 5);
  await core.chat();
  await readFrames(await core.chat({ stream: true })).rest();
  await advance(core, 30);
  const ofMetrics = () => receiver.requests.find(({ url }) => url === '/v1/metrics');
  await expect.poll(ofMetrics).toBeDefined();
  const request = ofMetrics();
  expect(request).toMatchObject({ method: 'POST', url: '/v1/metrics', headers: { 'x-tenant': 'a' } });
  const { resourceMetrics } = JSON.parse(String(request?.body)) as Pushed;
  expect(attributesOf(resourceMetrics[0].resource)).toEqual({
    'service.name': 'model-gateway',
    'service.instance.id': expect.stringMatching(/\w{8}/),
  });
  const { metrics } = resourceMetrics[0].scopeMetrics[0];
  metrics.forEach(checkForm);
  const find = (name: string): Metric => metrics.find((metric) => metric.name === name) ?? expect.fail(name);
  const tokens = find('gen_ai.client.token.usage');
  expect(tokens).toMatchObject({ unit: '{token}', histogram: { aggregationTemporality: 2 } });
  const output = tokens.histogram?.dataPoints.find((point) => attributesOf(point)['gen_ai.token.type'] === 'output');
  expect(output).toMatchObject({ count: '2', sum: 600 });
  expect(output && attributesOf(output)).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'acme/chat',
    'gen_ai.token.type': 'output',
  });
  expect(find('gen_ai.client.operation.duration').histogram?.dataPoints).toMatchObject([{ count: '2' }]);
  expect(find('gen_ai.server.time_to_first_token').histogram?.dataPoints).toMatchObject([{ count: '1' }]);
  const requests = find('model_gateway_requests').sum;
  expect(requests).toMatchObject({ aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ asDouble: 3 }] });
  expect(find('model_gateway_generation_duration_seconds').histogram?.dataPoints).toMatchObject([{ count: '2' }]);
  expect(find('model_gateway_open_calls').gauge?.dataPoints).toMatchObject([{ asDouble: 0 }]);
});

test('a receiver that is away costs one warning, and gets all of it later', async () => {
  let isAway = true;
  const receiver = await startReceiver((response) => response.writeHead(isAway ? 503 : 200).end());
  const core = createCalled();
  await core.gateway.start();
  await addTo(core, { type: 'webhook', config: { url: `${receiver.url}/in` }, metrics_every_seconds: 10 });
  const told = async () =>
    (jsonOf(await core.get('/admin/v1/destinations/deliveries', MANAGEMENT_KEY)) as unknown as BroadcastDeliveryList)
      .destinations[0]?.metrics;
  await advance(core, 5);
  await core.chat();
  const warnings = () => core.logged.filter(({ line }) => line.includes('metrics')).map(({ line }) => line);
  const pushes = () =>
    receiver.requests.map(({ body }) => String(body)).filter((body) => body.includes('resourceMetrics'));
  const push = async (): Promise<number> => {
    await advance(core, 10);
    return pushes().length;
  };
  // One that is still under way is waited for, so the clock alone does not make them.
  await expect.poll(push).toBeGreaterThan(3);
  expect(await told()).toEqual({
    queued: 0,
    last_delivered_at: null,
    last_failed_at: expect.any(String),
    last_failure: 'HTTP 503',
  });
  isAway = false;
  const before = await push();
  await expect.poll(push).toBeGreaterThan(before + 1);
  expect(pushes().at(-1)).toContain('"sum":300');
  expect(warnings()).toEqual(['warn metrics were not delivered']);
  expect(await told()).toMatchObject({ last_delivered_at: expect.any(String), last_failure: 'HTTP 503' });
});

test('the last figures are pushed when the gateway is closed', async () => {
  const receiver = await startReceiver();
  const platform = createVirtualPlatform();
  const { destinations } = createMemoryStore();
  const destination = { id: 'd', type: 'webhook', enabled: true, metrics_every_seconds: 3600, config: {} } as const;
  await destinations.insert({ ...destination, config: { url: receiver.url, method: 'POST' } } as never);
  const figures = createGenAiFigures();
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const sender = createMetricsSender({
    store: { destinations },
    platform,
    logger,
    broadcast: createBroadcastOptions(),
    figures,
    readFamilies: () => Promise.resolve([]),
    instanceId: () => 'one',
  });
  await sender.refresh();
  await platform.advance(5000);
  figures.note(toRecord('gen', { generation: { tokens_completion: 7 } }));
  await sender.close();
  expect(String(receiver.requests[0]?.body)).toContain('"sum":7');
});

test('a failed call has the kind of its error, and beyond a thousand series models are no longer told apart', () => {
  const figures = createGenAiFigures();
  const note = (generation: object): void => figures.note(toRecord('gen', { generation }));
  note({ model: 'before', generation_time: 5 });
  figures.begin();
  const error = { code: 502, error_type: 'provider_unavailable', message: 'down' };
  note({ finish_reason: 'error', generation_time: 5, provider_responses: [{ status: null, error }] });
  for (let index = 0; index < 1500; index += 1) note({ model: `m/${index}`, generation_time: 1000 });
  const duration = figures.read().find(({ name }) => name === 'gen_ai.client.operation.duration');
  const [failed] = duration?.points ?? [];
  expect(failed?.attributes['error.type']).toBe('provider_unavailable');
  expect(duration?.points).toHaveLength(1001);
  const last = duration?.points.at(-1);
  expect(last).toMatchObject({ attributes: { 'gen_ai.request.model': 'other' }, value: { sum: 501 } });
});

test.each([
  [
    { type: 'langfuse', config: { publicKey: 'p', secretKey: 's' }, metrics_every_seconds: 60 },
    'cannot be sent to langfuse',
  ],
  [{ type: 'webhook', config: { url: 'https://example.com/' }, metrics_every_seconds: 5 }, 'metrics_every_seconds'],
])('refuses %j', async (destination, message) => {
  const { call } = createAdminGateway({ broadcast: createBroadcastOptions() });
  const { status, body } = await call('POST', '/observability/destinations', { name: 'm', ...destination });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)]);
});
