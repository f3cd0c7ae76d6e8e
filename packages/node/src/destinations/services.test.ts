import { createHash } from 'node:crypto';

import type { Destination } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createBroadcastBench } from '../../../../test/support/broadcast/broadcast-bench.ts';
import { createBroadcastOptions } from '../../../../test/support/broadcast/broadcast-options.ts';
import { jsonIn, type ReceivedRequest, startReceiver } from '../../../../test/support/broadcast/receiver.ts';
import { OTLP_SERVICE_FORMATS } from './otlp-services.ts';

const CALL = {
  generation: {
    model: 'acme/chat-1',
    provider_name: 'Acme',
    created_at: '2026-03-01T10:00:00.000Z',
    session_id: 'session-1',
    external_user: 'user-1',
    tokens_prompt: 12,
    tokens_completion: 8,
    total_cost: 0.000028,
    trace: { trace_id: 'my-trace', span_name: 'Step', parent_span_id: 'outer', team: 'blue' },
  },
};
const CONTENT = {
  input: { messages: [{ role: 'user', content: 'What is this?' }] },
  output: { completion: 'A cat', reasoning: null },
  error: null,
};

type Wanted = Pick<Destination, 'type' | 'config'>;

function leadTo(url: string): ReturnType<typeof createBroadcastOptions> {
  const options = createBroadcastOptions();
  const send: typeof options.transport.send = (request) => {
    const { hostname, pathname, search } = new URL(request.url);
    if (hostname === '127.0.0.1') return options.transport.send(request);
    const headers = { ...request.headers, 'x-led-from': hostname };
    return options.transport.send({ ...request, headers, url: `${url}${pathname}${search}` });
  };
  return { ...options, transport: { ...options.transport, send } };
}

/** Delivers a call; addresses that are fixed are led to a receiver on loopback, which sees them in its own header. */
async function deliver(toDestination: (url: string) => Wanted): Promise<ReceivedRequest> {
  const receiver = await startReceiver();
  const { add, record, broadcaster } = createBroadcastBench({ broadcast: leadTo(receiver.url) });
  await add('d', toDestination(receiver.url));
  await record('gen-1', CALL, CONTENT);
  const [request] = await receiver.received(1);
  await broadcaster.close(1000);
  if (request === undefined) throw new Error('nothing came');
  return request;
}

const SPAN_ID = createHash('sha256').update('gen-1').digest('hex').slice(0, 16);

test.each<[Wanted['type'], (url: string) => Wanted['config'], string, string, Record<string, string>, string[]]>([
  [
    'arize',
    (baseUrl) => ({ apiKey: 'ak', spaceKey: 'sp', modelId: 'shop', baseUrl }),
    '',
    '/v1/traces',
    { 'arize-api-key': 'ak', 'arize-space-id': 'sp' },
    ['openinference.project.name', 'shop'],
  ],
  [
    'braintrust',
    (baseUrl) => ({ apiKey: 'ak', projectId: 'p-1', baseUrl }),
    '',
    '/otel/v1/traces',
    { authorization: 'Bearer ak', 'x-bt-parent': 'project_id:p-1' },
    [],
  ],
  [
    'grafana',
    (baseUrl) => ({ apiKey: 'glc', instanceId: '77', baseUrl: `${baseUrl}/` }),
    '',
    '/otlp/v1/traces',
    { authorization: `Basic ${Buffer.from('77:glc').toString('base64')}` },
    [],
  ],
  [
    'langsmith',
    (endpoint) => ({ apiKey: 'lsv2', project: 'shop', workspaceId: 'w-1', endpoint }),
    '',
    '/otel/v1/traces',
    { 'x-api-key': 'lsv2', 'langsmith-project': 'shop', 'x-tenant-id': 'w-1' },
    [],
  ],
  [
    'newrelic',
    () => ({ licenseKey: 'nr', region: 'eu' }),
    'otlp.eu01.nr-data.net',
    '/v1/traces',
    { 'api-key': 'nr' },
    [],
  ],
  ['newrelic', () => ({ licenseKey: 'nr', region: 'us' }), 'otlp.nr-data.net', '/v1/traces', { 'api-key': 'nr' }, []],
  [
    'opik',
    () => ({ apiKey: 'ok', workspace: 'team', projectName: 'shop' }),
    'www.comet.com',
    '/opik/api/v1/private/otel/v1/traces',
    { authorization: 'ok', 'comet-workspace': 'team', projectname: 'shop' },
    [],
  ],
  [
    'sentry',
    (url) => ({ dsn: 'https://pub@o1.ingest.sentry.io/2', otlpEndpoint: `${url}/api/2/integration/otlp` }),
    '',
    '/api/2/integration/otlp/v1/traces',
    { 'x-sentry-auth': 'sentry sentry_key=pub' },
    [],
  ],
  [
    'weave',
    (baseUrl) => ({ apiKey: 'wb', entity: 'team', project: 'shop', baseUrl }),
    '',
    '/otel/v1/traces',
    { 'wandb-api-key': 'wb' },
    ['wandb.entity', 'wandb.project'],
  ],
])(
  'sends %s the spans of calls in the binary form, where it takes them',
  async (type, toConfig, host, path, headers, resource) => {
    const request = await deliver((url) => ({ type, config: { ...toConfig(url), headers: { 'X-Own': 'yes' } } }));
    expect(request).toMatchObject({ method: 'POST', url: path });
    expect(request.headers).toMatchObject({ ...headers, 'content-type': 'application/x-protobuf', 'x-own': 'yes' });
    if (host !== '') expect(request.headers['x-led-from']).toBe(host);
    const texts = ['model-gateway', 'gen_ai.request.model', 'acme/chat-1', 'Step', 'A cat', ...resource];
    expect(texts.filter((text) => !request.body.includes(text))).toEqual([]);
    // Field 1 of the message, and the id of the span as its bytes.
    expect([request.body[0], request.body.includes(Buffer.from(SPAN_ID, 'hex'))]).toEqual([10, true]);
  },
);

test('sends Datadog a span of a model with its messages, figures and tags', async () => {
  const request = await deliver((url) => ({ type: 'datadog', config: { apiKey: 'dd', mlApp: 'shop', url } }));
  expect(request).toMatchObject({ method: 'POST', url: '/api/intake/llm-obs/v1/trace/spans' });
  expect(request.headers).toMatchObject({ 'dd-api-key': 'dd', 'content-type': 'application/json' });
  expect(jsonIn(request)).toMatchObject({
    data: {
      type: 'span',
      attributes: {
        ml_app: 'shop',
        spans: [
          {
            name: 'Step',
            span_id: BigInt(`0x${SPAN_ID}`).toString(),
            trace_id: createHash('sha256').update('my-trace').digest('hex').slice(0, 32),
            start_ns: 1_772_359_200_000_000_000,
            status: 'ok',
            session_id: 'session-1',
            meta: {
              kind: 'llm',
              model_name: 'acme/chat-1',
              model_provider: 'acme',
              input: { messages: [{ role: 'user', content: 'What is this?' }] },
              output: { messages: [{ role: 'assistant', content: 'A cat' }] },
              metadata: { team: 'blue', generation_id: 'gen-1' },
            },
            metrics: { input_tokens: 12, output_tokens: 8, total_tokens: 20, total_cost: 0.000028 },
            tags: expect.arrayContaining(['user_id:user-1']) as string[],
          },
        ],
      },
    },
  });
});

test('sends PostHog an event of a generation, which has the same id each time', async () => {
  const toDestination = (endpoint: string): Wanted => ({ type: 'posthog', config: { apiKey: 'phc', endpoint } });
  const request = await deliver(toDestination);
  expect(request).toMatchObject({ method: 'POST', url: '/batch/' });
  const body = jsonIn(request) as { batch: { uuid: string }[] };
  expect(body).toMatchObject({
    api_key: 'phc',
    batch: [
      {
        event: '$ai_generation',
        distinct_id: 'user-1',
        timestamp: '2026-03-01T10:00:00.000Z',
        properties: {
          $ai_trace_id: 'my-trace',
          $ai_model: 'acme/chat-1',
          $ai_provider: 'acme',
          $ai_input: [{ role: 'user', content: 'What is this?' }],
          $ai_output_choices: [{ role: 'assistant', content: 'A cat' }],
          $ai_input_tokens: 12,
          $ai_output_tokens: 8,
          $ai_total_cost_usd: 0.000028,
          $ai_is_error: false,
          team: 'blue',
        },
      },
    ],
  });
  const again = jsonIn(await deliver(toDestination)) as typeof body;
  expect(again.batch[0]?.uuid).toBe(body.batch[0]?.uuid);
});

test.each([
  ['\n\u0002\u0008\u0003', true],
  ['{"partialSuccess":{"rejectedSpans":"2"}}', true],
  ['{"partialSuccess":{}}', false],
  // A message without a number of spans is a warning.
  ['\n\u0008\u0012\u0006careful', false],
  ['', false],
])('takes a response of 200 that names refused spans for final: %j is one, %s', (body, isRefused) => {
  const format = OTLP_SERVICE_FORMATS.find(({ type }) => type === 'grafana');
  const expected = isRefused ? { result: 'HTTP 200, spans rejected', isFinal: true } : undefined;
  expect(format?.readResponse?.(body)).toEqual(expected);
});

const ROW = { generation_id: 'gen-1', model: 'acme/chat-1', prompt_tokens: 12, cost_usd: 0.000028, user_id: 'user-1' };

test('inserts a row for each call into ClickHouse, and quotes the name of the table', async () => {
  const config = { database: 'llm', username: 'writer', password: 'pw', table: 'odd `name`' };
  const request = await deliver((host) => ({ type: 'clickhouse', config: { host, ...config } }));
  const url = new URL(request.url, 'http://clickhouse.test');
  expect([request.method, url.pathname, url.searchParams.get('database')]).toEqual(['POST', '/', 'llm']);
  expect(url.searchParams.get('query')).toBe('INSERT INTO `odd ``name``` FORMAT JSONEachRow');
  expect(request.headers).toMatchObject({ 'x-clickhouse-user': 'writer', 'x-clickhouse-key': 'pw' });
  expect(request.url).not.toContain('pw');
  const [line = '', rest] = request.body.toString().split('\n');
  expect([JSON.parse(line), rest]).toEqual([expect.objectContaining(ROW), '']);
});

test('merges rows of calls into a table of Snowflake with a statement and one value', async () => {
  const request = await deliver(() => ({
    type: 'snowflake',
    config: {
      account: 'org-name',
      token: 'pat',
      database: 'LLM',
      schema: 'PUBLIC',
      table: 'T"x',
      warehouse: 'COMPUTE_WH',
    },
  }));
  expect(request).toMatchObject({ method: 'POST', url: '/api/v2/statements' });
  expect(request.headers).toMatchObject({
    'x-led-from': 'org-name.snowflakecomputing.com',
    authorization: 'Bearer pat',
    'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
  });
  const body = jsonIn(request) as {
    statement: string;
    warehouse: string;
    bindings: { 1: { type: string; value: string } };
  };
  expect(body.statement).toMatch(/^MERGE INTO "LLM"\."PUBLIC"\."T""x" AS t /);
  expect([body.warehouse, body.bindings[1].type]).toEqual(['COMPUTE_WH', 'TEXT']);
  expect(JSON.parse(body.bindings[1].value)).toEqual([expect.objectContaining(ROW)]);
});
