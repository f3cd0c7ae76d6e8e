import { createHash, createHmac } from 'node:crypto';

import type { Destination } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { createBroadcastBench } from '../../../../test/support/broadcast/broadcast-bench.ts';
import { decodeAttributes, type OtlpRequest, spansIn } from '../../../../test/support/broadcast/otlp.ts';
import {
  jsonIn,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from '../../../../test/support/broadcast/receiver.ts';

/** A call about which everything is known. */
const CALL = {
  principalId: createHash('sha256').update('sk-dev').digest('hex'),
  userId: 'member-1',
  generation: {
    model: 'acme/chat-1',
    provider_name: 'Acme',
    router: 'service/auto',
    created_at: '2026-03-01T10:00:00.123Z',
    session_id: 'session-1',
    external_user: 'user-1',
    user_agent: 'tests/1',
    http_referer: 'https://app.example/',
    tokens_prompt: 12,
    tokens_completion: 8,
    native_tokens_cached: 4,
    native_tokens_reasoning: 2,
    total_cost: 0.000028,
    native_finish_reason: 'end',
    trace: {
      trace_id: 'my-trace',
      trace_name: 'Checkout',
      span_name: 'Step',
      parent_span_id: 'outer',
      team: 'blue',
      run: 7,
    },
  },
};

const CONTENT = {
  input: {
    messages: [
      { role: 'system', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ],
  },
  output: {
    completion: 'A cat, not {"intValue":1}',
    reasoning: 'I looked',
    tool_calls: [{ id: 'call-1', type: 'function' as const, function: { name: 'look', arguments: '{"at":1}' } }],
  },
  error: null,
};

async function deliver(
  receiver: Receiver,
  destination: Partial<Destination> & Pick<Destination, 'type' | 'config'>,
): Promise<ReceivedRequest | undefined> {
  const { add, record, broadcaster } = createBroadcastBench();
  await add('d', destination);
  await record('gen-1', CALL, CONTENT);
  const [request] = await receiver.received(1);
  await broadcaster.close(1000);
  return request;
}

test('sends a collector one span a call, by the conventions for generative AI', async () => {
  const receiver = await startReceiver();
  const config = { endpoint: receiver.url, headers: { 'X-Token': 'secret' } };
  const request = await deliver(receiver, { type: 'otel-collector', config });
  expect(request).toMatchObject({
    method: 'POST',
    url: '/v1/traces',
    headers: { 'content-type': 'application/json', 'x-token': 'secret' },
  });
  const body = jsonIn(request) as OtlpRequest;
  expect(decodeAttributes(body.resourceSpans[0]?.resource.attributes ?? [])).toEqual({
    'service.name': 'model-gateway',
  });
  const [span] = spansIn(request);
  expect(span).toMatchObject({
    traceId: createHash('sha256').update('my-trace').digest('hex').slice(0, 32),
    spanId: createHash('sha256').update('gen-1').digest('hex').slice(0, 16),
    parentSpanId: createHash('sha256').update('outer').digest('hex').slice(0, 16),
    name: 'Step',
    kind: 3,
    startTimeUnixNano: '1772359200123000000',
    endTimeUnixNano: '1772359201623000000',
    status: { code: 0 },
  });
  expect(request?.body.toString()).toContain('{"key":"gen_ai.usage.input_tokens","value":{"intValue":"12"}}');
  const { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output, ...others } = span?.attributes ?? {};
  expect(JSON.parse(String(input))).toEqual([
    { role: 'system', parts: [{ type: 'text', content: 'Be brief' }] },
    { role: 'user', parts: [{ type: 'text', content: 'What is this?' }, { type: 'image_url' }] },
  ]);
  expect(JSON.parse(String(output))).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'I looked' },
        { type: 'text', content: 'A cat, not {"intValue":1}' },
        { type: 'tool_call', id: 'call-1', name: 'look', arguments: '{"at":1}' },
      ],
      finish_reason: 'stop',
    },
  ]);
  expect(others).toEqual({
    'gen_ai.completion': 'A cat, not {"intValue":1}',
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.operation.name': 'chat',
    'gen_ai.prompt':
      '{"messages":[{"role":"system","content":"Be brief"},{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url"}]}]}',
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': 'service/auto',
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reason': 'stop',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.response.id': 'gen-1',
    'gen_ai.response.model': 'acme/chat-1',
    'gen_ai.response.time_to_first_chunk': 0.25,
    'gen_ai.system': 'acme',
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.completion_tokens': 8,
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.input_tokens.cached': 4,
    'gen_ai.usage.output_tokens': 8,
    'gen_ai.usage.output_tokens.reasoning': 2,
    'gen_ai.usage.prompt_tokens': 12,
    'gen_ai.usage.reasoning.output_tokens': 2,
    'gen_ai.usage.total_cost': 0.000028,
    'gen_ai.usage.total_tokens': 20,
    'http.request.header.referer': ['https://app.example/'],
    'session.id': 'session-1',
    'trace.metadata.openrouter.api_key_name': 'dev',
    'trace.metadata.openrouter.finish_reason': 'end',
    'trace.metadata.openrouter.first_token_ms': 250,
    'trace.metadata.openrouter.provider_name': 'Acme',
    'trace.metadata.openrouter.user_id': 'member-1',
    'trace.metadata.run': 7,
    'trace.metadata.team': 'blue',
    'user.id': 'user-1',
    'user_agent.original': 'tests/1',
  });
});

test('sends a webhook the same document, by the method that is configured', async () => {
  const receiver = await startReceiver();
  const url = `${receiver.url}/hook?token=t`;
  const request = await deliver(receiver, {
    type: 'webhook',
    config: { url, method: 'PUT', headers: { Authorization: 'Bearer x', Host: 'elsewhere' } },
  });
  expect(request).toMatchObject({
    method: 'PUT',
    url: '/hook?token=t',
    headers: { authorization: 'Bearer x', host: `127.0.0.1:${receiver.port}`, 'user-agent': 'model-gateway' },
  });
  expect(spansIn(request)[0]?.attributes).toMatchObject({ 'gen_ai.completion': 'A cat, not {"intValue":1}' });
});

test('sends Langfuse a trace and a generation in one batch', async () => {
  const receiver = await startReceiver((response) => response.writeHead(207).end('{"successes":[],"errors":[]}'));
  const config = { baseUrl: `${receiver.url}/`, publicKey: 'pk', secretKey: 'sk' };
  const request = await deliver(receiver, { type: 'langfuse', config });
  expect(request).toMatchObject({
    method: 'POST',
    url: '/api/public/ingestion',
    headers: { authorization: `Basic ${Buffer.from('pk:sk').toString('base64')}` },
  });
  const input = [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'image_url' }] },
  ];
  const { completion, ...others } = CONTENT.output;
  const output = { role: 'assistant', content: completion, ...others };
  const timestamp = '2026-03-01T10:00:01.623Z';
  expect(jsonIn(request)).toEqual({
    batch: [
      {
        type: 'trace-create',
        id: 'gen-1-trace',
        timestamp,
        body: {
          id: 'my-trace',
          name: 'Checkout',
          timestamp: '2026-03-01T10:00:00.123Z',
          sessionId: 'session-1',
          userId: 'user-1',
          input,
          output,
          metadata: { run: 7, team: 'blue' },
        },
      },
      {
        type: 'generation-create',
        id: 'gen-1',
        timestamp,
        body: {
          id: 'gen-1',
          traceId: 'my-trace',
          parentObservationId: 'outer',
          name: 'Step',
          model: 'acme/chat-1',
          level: 'DEFAULT',
          startTime: '2026-03-01T10:00:00.123Z',
          completionStartTime: '2026-03-01T10:00:00.373Z',
          endTime: '2026-03-01T10:00:01.623Z',
          costDetails: { total: 0.000028 },
          usageDetails: { input: 8, input_cached_tokens: 4, output: 6, output_reasoning_tokens: 2, total: 20 },
          input,
          output,
          metadata: {
            api_key_name: 'dev',
            cancelled: false,
            finish_reason: 'stop',
            http_referer: 'https://app.example/',
            native_finish_reason: 'end',
            provider_name: 'Acme',
            requested_model: 'service/auto',
            run: 7,
            streamed: true,
            team: 'blue',
            user_agent: 'tests/1',
            user_id: 'member-1',
          },
        },
      },
    ],
  });
});

test('puts an object into S3 whose signature a server can verify', async () => {
  const receiver = await startReceiver();
  const secretAccessKey = 'secret-access-key-1';
  const request = await deliver(receiver, {
    type: 's3',
    config: {
      bucketName: 'traces',
      accessKeyId: 'AKIA1',
      secretAccessKey,
      sessionToken: 'session',
      region: 'eu-west-1',
      endpoint: receiver.url,
      prefix: '/gate way/',
      pathTemplate: '{prefix}/{year}/{apiKeyName}/../{date}',
      headers: { 'X-Amz-Acl': 'private' },
    },
  });
  const traceId = createHash('sha256').update('my-trace').digest('hex').slice(0, 32);
  const spanId = createHash('sha256').update('gen-1').digest('hex').slice(0, 16);
  expect(request?.method).toBe('PUT');
  expect(request?.url).toBe(
    `/traces/gate%20way/2026/dev/2026-03-01/${traceId}-${Date.parse(CALL.generation.created_at)}-${spanId}.json`,
  );
  expect(request?.headers).toMatchObject({ 'x-amz-security-token': 'session', 'x-amz-acl': 'private' });
  expect(signatureOf(request)).toBe(signatureFor(request, { secretAccessKey, region: 'eu-west-1' }));
  expect(spansIn(request)[0]?.name).toBe('Step');
});

test.each([
  ['my-bucket', 'https://my-bucket.s3.us-east-1.amazonaws.com/'],
  ['my.bucket', 'https://s3.us-east-1.amazonaws.com/my.bucket/'],
])('finds the bucket %s where Amazon has it', async (bucketName, start) => {
  const { s3Format } = await import('./s3-format.ts');
  const config = { bucketName, accessKeyId: 'a', secretAccessKey: 'b' };
  expect((await s3Format.toTestRequest(config)).url).toBe(`${start}model-gateway-connection-test.json`);
});

test('165: takes what a receiver refuses in a response of 2xx for a refusal', async () => {
  const { langfuseFormat } = await import('./langfuse-format.ts');
  const { otelCollectorFormat } = await import('./otlp-formats.ts');
  const langfuse = (errors: readonly object[]) => langfuseFormat.readResponse?.(JSON.stringify({ errors }));
  expect(langfuse([])).toBeUndefined();
  expect(langfuse([{ id: 'a', status: 400 }])).toEqual({ result: 'HTTP 207, 1 events refused', isFinal: true });
  expect(langfuse([{ status: 400 }, { status: 500 }])).toMatchObject({ isFinal: false });
  expect(langfuseFormat.readResponse?.('<html>')).toBeUndefined();
  expect(otelCollectorFormat.readResponse?.('{"partialSuccess":{}}')).toBeUndefined();
  expect(otelCollectorFormat.readResponse?.('{"partialSuccess":{"rejectedSpans":"2"}}')).toEqual({
    result: 'HTTP 200, 2 spans rejected',
    isFinal: true,
  });
});

test('tells of a call that failed, and of one without content, what there is to tell', async () => {
  const receiver = await startReceiver();
  const { add, record, broadcaster } = createBroadcastBench();
  await add('d', { type: 'otel-collector', config: { endpoint: `${receiver.url}/custom` } });
  const error = { message: 'Overloaded', status: 529, provider_name: 'Acme', raw: null, previous_errors: [] };
  const failed = { finish_reason: 'error', cost_known: false };
  await record('gen-1', { generation: failed }, { ...CONTENT, error });
  await record('gen-2', { generation: failed }, null);
  await broadcaster.close(1000);
  expect(receiver.requests.map(({ url }) => url)).toEqual(['/custom']);
  const spans = spansIn(receiver.requests[0]);
  expect(spans.map(({ status }) => status)).toEqual([{ code: 2, message: 'Overloaded' }, { code: 2 }]);
  expect(spans[1]?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'acme',
    'gen_ai.system': 'acme',
    'gen_ai.request.model': 'acme/chat-1',
    'gen_ai.request.stream': true,
    'gen_ai.response.model': 'acme/chat-1',
    'gen_ai.response.id': 'gen-2',
    'gen_ai.response.finish_reasons': ['error'],
    'gen_ai.response.finish_reason': 'error',
    'gen_ai.response.time_to_first_chunk': 0.25,
    'error.type': 'error',
    'trace.metadata.openrouter.provider_name': 'Acme',
    'trace.metadata.openrouter.first_token_ms': 250,
  });
});

function signatureOf(request: ReceivedRequest | undefined): string | undefined {
  return /Signature=([0-9a-f]{64})$/.exec(request?.headers.authorization ?? '')?.[1];
}

/** Signature Version 4 as a server computes it: from what has arrived, by the documentation, without the library. */
function signatureFor(
  request: ReceivedRequest | undefined,
  { secretAccessKey, region }: { readonly secretAccessKey: string; readonly region: string },
): string {
  const { method = '', url = '', headers = {}, body = Buffer.alloc(0) } = request ?? {};
  const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Uint8Array, text: string): Uint8Array => createHmac('sha256', key).update(text).digest();
  const signed = (/SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '').split(';');
  const dateTime = String(headers['x-amz-date']);
  const date = dateTime.slice(0, 8);
  expect(headers['x-amz-content-sha256']).toBe(sha256(body));
  expect(signed).toEqual(expect.arrayContaining(['host', 'x-amz-acl', 'x-amz-content-sha256', 'x-amz-date']));
  const canonical = [
    method,
    url,
    '',
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed.join(';'),
    sha256(body),
  ].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', dateTime, scope, sha256(canonical)].join('\n');
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Uint8Array>(hmac, `AWS4${secretAccessKey}`);
  return Buffer.from(hmac(key, toSign)).toString('hex');
}

test('sends a span for each attempt of a call that took several, below that of the call and without its tokens', async () => {
  const receiver = await startReceiver();
  const { add, record, broadcaster } = createBroadcastBench();
  await add('d', { type: 'otel-collector', config: { endpoint: receiver.url } });
  const error = { code: 429, error_type: 'rate_limit_exceeded' };
  const provider_responses = [
    { provider_name: 'Slow', model_permaslug: 'acme/chat-1', latency: 40, status: 429, error },
    { provider_name: 'Acme', model_permaslug: 'acme/chat-1', latency: 30, status: 200 },
  ];
  await record('gen-1', { ...CALL, generation: { ...CALL.generation, provider_responses } }, CONTENT);
  const [request] = await receiver.received(1);
  await broadcaster.close(1000);
  const [call, ...attempts] = spansIn(request);
  expect(attempts.map(({ parentSpanId }) => parentSpanId)).toEqual([call?.spanId, call?.spanId]);
  expect(attempts.map(({ name, status, attributes }) => ({ name, status, attributes }))).toEqual([
    {
      name: 'chat acme/chat-1',
      status: { code: 2 },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'slow',
        'gen_ai.request.model': 'acme/chat-1',
        'http.response.status_code': 429,
        'error.type': 'rate_limit_exceeded',
        'gateway.attempt': 1,
      },
    },
    {
      name: 'chat acme/chat-1',
      status: { code: 0 },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'acme',
        'gen_ai.request.model': 'acme/chat-1',
        'http.response.status_code': 200,
        'gateway.attempt': 2,
      },
    },
  ]);
});
