import { expect, test } from 'vitest';

import { chunksOf, parseFrames } from '../support/gateways/core-gateway.ts';
import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { UPSTREAM_KEY } from '../support/gateways/test-gateway.ts';
import {
  respondWell,
  LAST_HTTP_CHUNK,
  type RawUpstream,
  sendStream,
  startRawUpstream,
  STREAM_HEAD,
  toRawResponse,
  toEvents,
  toHead,
  toHttpChunk,
  toTextEvent,
  toWhole,
} from '../support/upstreams/raw-upstream.ts';

interface ErrorResponse {
  readonly error: { readonly code: number; readonly message: string; readonly metadata: Record<string, unknown> };
}

const startUpstream = (bytes: string): Promise<RawUpstream> =>
  startRawUpstream(({ socket }) => void socket.write(bytes));
const healthy = (text = 'Hello'): Promise<RawUpstream> => startRawUpstream((request) => respondWell(request, text));

test.each([
  [{ message: 'Slow down', type: 'rate_limit_error', code: null }, 429],
  [{ message: 'Too long', code: 'context_length_exceeded' }, 400],
  [{ message: 'Broken', code: 500 }, 502],
  ['just a text', 502],
])(
  '53: a 200 that holds the error %j is a %i, and another provider is asked where that helps',
  async (error, status) => {
    const failing = toRawResponse(200, { error });
    for (const stream of [false, true]) {
      const { ask, record } = await startFaultGateway([await startUpstream(failing)]);
      expect((await ask({ stream })).status).toBe(status);
      expect((await record()).record.generation.finish_reason).toBe('error');

      const next = await healthy();
      const backed = await startFaultGateway([await startUpstream(failing), next]);
      // The caller's own mistake is the same everywhere.
      expect((await backed.ask({ stream })).status).toBe(status === 400 ? 400 : 200);
      expect(next.requests).toHaveLength(status === 400 ? 0 : 1);
    }
  },
);

test.each(['', ' ', 'null', '[]', '"ok"', '{}', '{"choices":[]}', '{"choices":null}', '0', 'true'])(
  '54: a 200 whose body is %j is a 502, streamed or not',
  async (body) => {
    const { ask } = await startFaultGateway([
      await startUpstream(toRawResponse(200, body, { 'content-type': 'application/json' })),
    ]);
    for (const stream of [false, true]) {
      const response = await ask({ stream });
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({
        error: { code: 502, metadata: { error_type: 'provider_unavailable' } },
      });
    }
  },
);

test.each([
  ['204', toHead(204)],
  ['206', toRawResponse(206, toWhole('Hi'))],
  ['304', toHead(304)],
])('54: a %s instead of a response is a 502', async (_name, bytes) => {
  const { ask } = await startFaultGateway([await startUpstream(bytes)]);
  expect((await ask()).status).toBe(502);
});

const PAGE = '<!doctype html><html><title>Sign in to Airport Wi-Fi</title><script>alert(1)</script></html>';

test.each([200, 400, 403, 404, 429, 500, 502, 503])(
  '55, 56: a web page with status %i never reaches the caller',
  async (status) => {
    for (const type of ['text/html', 'Text/HTML; charset=utf-8', 'application/json', 'text/event-stream']) {
      const { ask, record } = await startFaultGateway([
        await startUpstream(toRawResponse(status, PAGE, { 'content-type': type })),
      ]);
      for (const stream of [false, true]) {
        const response = await ask({ stream });
        const text = await response.text();
        expect(response.headers.get('content-type')).toBe('application/json');
        expect(text).not.toMatch(/<|script|Wi-Fi/);
        expect((JSON.parse(text) as ErrorResponse).error.code).toBe(response.status);
      }
      expect(JSON.stringify(await record())).not.toContain('Wi-Fi');
    }
  },
);

test('56: of an endless error page only the beginning is read', async () => {
  const piece = Buffer.alloc(64 * 1024, '<p>So sorry</p>');
  let written = 0;
  const upstream = await startRawUpstream(({ socket, closed }) => {
    socket.write(toHead(500, { 'content-type': 'text/html', 'transfer-encoding': 'chunked' }));
    const writeOn = (): void => {
      while (!socket.destroyed) {
        written += piece.byteLength;
        if (!socket.write(toHttpChunk(piece))) return void socket.once('drain', writeOn);
      }
    };
    writeOn();
    void closed;
  });
  const { ask } = await startFaultGateway([upstream]);
  expect((await ask()).status).toBe(502);
  await upstream.requests[0]?.closed;
  // The limit allows for the buffers of the sockets on both sides, no more.
  expect(written).toBeLessThan(16_000_000);
});

test.each([
  ['2', '2'],
  ['0', '0'],
  ['1000000000000', '3600'],
  ['-1', null],
  ['abc', null],
  ['2.5', null],
  ['', null],
  ['Fri, 01 Jan 2021 00:00:00 GMT', null],
  ['Sat, 01 Jan 2022 00:00:05 GMT', '5'],
  ['Sun, 01 Jan 2023 00:00:00 GMT', '3600'],
])('57, 58: a 429 with Retry-After "%s" is a 429 with %s', async (given, told) => {
  const error = { error: { message: 'Slow down', type: 'requests' } };
  const headers = { date: 'Sat, 01 Jan 2022 00:00:00 GMT', 'retry-after': given };
  const { ask } = await startFaultGateway([await startUpstream(toRawResponse(429, error, headers))]);
  for (const stream of [false, true]) {
    const response = await ask({ stream });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe(told);
  }
});

test('57: after 429 everywhere the shortest wait is told, and none when one provider named none', async () => {
  const limited = (headers: Record<string, string>): Promise<RawUpstream> =>
    startUpstream(toRawResponse(429, { error: { message: 'Slow down' } }, headers));
  const both = await startFaultGateway([await limited({ 'retry-after': '9' }), await limited({ 'retry-after': '4' })]);
  const response = await both.ask();
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '4']);

  const one = await startFaultGateway([await limited({ 'retry-after': '9' }), await limited({})]);
  expect((await one.ask()).headers.get('retry-after')).toBeNull();
});

test('59: a 429 without Retry-After is not sent again to the same endpoint', async () => {
  const upstream = await startUpstream(toRawResponse(429, { error: { message: 'Slow down' } }));
  const { ask } = await startFaultGateway([upstream]);
  expect((await ask()).status).toBe(429);
  expect(upstream.requests).toHaveLength(1);
});

test.each([500, 502, 503, 504, 529])(
  '60: a %i and then a 200 elsewhere is one success and one charge, with both attempts told',
  async (status) => {
    const failing = await startUpstream(toRawResponse(status, { error: { message: 'Sorry' } }));
    const next = await healthy();
    for (const stream of [false, true]) {
      const { ask, recorded, record } = await startFaultGateway([failing, next]);
      const response = await ask({ stream });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('Hello');
      await record();
      expect(recorded).toHaveLength(1);
      // 12 tokens at one and 8 at three millionths of a dollar: the second endpoint's prices alone.
      expect(recorded[0]?.record.costNanoUsd).toBe(36_000);
      expect(recorded[0]?.record.generation).toMatchObject({
        provider_name: 'Up1',
        provider_responses: [
          { provider_name: 'Up0', status },
          { provider_name: 'Up1', status: 200 },
        ],
      });
    }
  },
);

test.each([401, 402, 403])(
  "62: a %i about the gateway's own account is a 502 for the caller, asked once",
  async (status) => {
    const error = { error: { message: `Incorrect API key provided: ${UPSTREAM_KEY}`, code: 'invalid_api_key' } };
    const upstream = await startUpstream(
      toRawResponse(status, error, { 'www-authenticate': 'Bearer realm="upstream"' }),
    );
    const { ask } = await startFaultGateway([upstream]);
    const response = await ask();
    expect(response.status).toBe(502);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(await response.text()).not.toContain('sk-upstream');
    expect(upstream.requests).toHaveLength(1);

    const next = await healthy();
    const backed = await startFaultGateway([upstream, next]);
    expect((await backed.ask()).status).toBe(200);
  },
);

test('63: a context that is too long is a 400, and no other endpoint of the model is asked', async () => {
  const error = {
    error: { message: 'This model takes 8192 tokens', code: 'context_length_exceeded', type: 'invalid_request_error' },
  };
  const next = await healthy();
  const { ask } = await startFaultGateway([await startUpstream(toRawResponse(400, error)), next]);
  for (const stream of [false, true]) {
    const response = await ask({ stream });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: 'This model takes 8192 tokens', metadata: { error_type: 'context_length_exceeded' } },
    });
  }
  expect(next.requests).toHaveLength(0);
});

test.each([301, 302, 303, 307, 308])('64: a %i is not followed, and the key goes nowhere else', async (status) => {
  const canary = await healthy('From the canary');
  const upstream = await startUpstream(
    toHead(status, { location: `${canary.baseUrl}/chat/completions`, 'content-length': 0 }),
  );
  const { ask, apiUrl } = await startFaultGateway([upstream]);
  for (const stream of [false, true]) {
    const response = await ask({ stream });
    expect(response.status).toBe(502);
    expect(response.headers.get('location')).toBeNull();
  }
  expect(apiUrl).toContain('127.0.0.1');
  expect(canary.connections).toHaveLength(0);
});

test("65: of upstream's headers none reaches the caller", async () => {
  const headers = {
    'set-cookie': 'session=1',
    location: 'https://elsewhere.example',
    'alt-svc': 'h3=":443"',
    'access-control-allow-origin': '*',
    'access-control-allow-credentials': 'true',
    'x-powered-by': 'Upstream',
    server: 'upstream/1.0',
    via: '1.1 upstream',
    'x-request-id': 'req_upstream',
    'openai-organization': 'org-secret',
    'strict-transport-security': 'max-age=1',
    connection: 'close, authorization',
    upgrade: 'h2c',
  };
  const upstream = await startRawUpstream(({ socket, body }) => {
    if (!body.includes('"stream":true')) return void socket.end(toRawResponse(200, toWhole('Hi'), headers));
    socket.write(toHead(200, { ...headers, 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' }));
    socket.write(toHttpChunk(toEvents('Hi')));
    socket.end(LAST_HTTP_CHUNK);
  });
  const { ask } = await startFaultGateway([upstream]);
  for (const stream of [false, true]) {
    const response = await ask({ stream });
    expect(response.status).toBe(200);
    await response.text();
    const ours = [
      'content-type',
      'x-content-type-options',
      'content-length',
      'x-generation-id',
      'x-request-id',
      'date',
      'connection',
      'keep-alive',
    ];
    const streamed = ['cache-control', 'x-accel-buffering', 'transfer-encoding'];
    expect(response.headers.get('x-request-id')).not.toBe('req_upstream');
    expect([...ours, ...streamed]).toEqual(expect.arrayContaining([...response.headers.keys()]));
  }
});

test('66: the key that upstream echoes comes out nowhere', async () => {
  const message = `Invalid request with key ${UPSTREAM_KEY} (Authorization: Bearer ${UPSTREAM_KEY}) at http://10.1.2.3:8080/v1`;
  const echo = { error: { message, code: UPSTREAM_KEY, type: 'invalid_request_error' } };
  const inBand = await startRawUpstream(
    ({ socket }) => void sendStream(socket, [toTextEvent('Hi'), `data: ${JSON.stringify(echo)}\n\n`]),
  );
  for (const upstream of [
    await startUpstream(toRawResponse(400, echo)),
    await startUpstream(toRawResponse(200, echo)),
    inBand,
  ]) {
    for (const stream of [false, true]) {
      const { ask, record, logged } = await startFaultGateway([upstream]);
      const response = await ask({ stream });
      const everything = (await response.text()) + JSON.stringify([await record(), logged, [...response.headers]]);
      expect(everything).not.toMatch(/sk-upstream|10\.1\.2\.3/);
    }
  }
});

test("67, 68: another model's name and an absurd clock in the response change nothing of ours", async () => {
  for (const created of [-1, 0, 1e18, '1970', null]) {
    const odd = { model: 'somebody/elses-model', created, id: 'chatcmpl-x' };
    const upstream = await startRawUpstream(({ socket, body }) => {
      if (!body.includes('"stream":true')) return void socket.write(toRawResponse(200, toWhole('Hi', odd)));
      const chunk = { ...odd, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] };
      void sendStream(socket, [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n']);
    });
    const before = Math.floor(Date.now() / 1000);
    const { ask, stream, record } = await startFaultGateway([upstream]);
    const whole = (await (await ask()).json()) as { created: number; model: string; id: string };
    const [chunk] = chunksOf(await stream());
    for (const completion of [whole, chunk as unknown as typeof whole]) {
      expect(completion.model).toBe('test/model');
      expect(completion.id).toMatch(/^gen-/);
      expect(completion.created).toBeGreaterThanOrEqual(before);
      expect(completion.created).toBeLessThanOrEqual(Date.now() / 1000);
    }
    const { generation } = (await record()).record;
    expect(Math.abs(Date.parse(generation.created_at) - Date.now())).toBeLessThan(10_000);
    expect(generation).toMatchObject({ model: 'test/model', upstream_id: 'chatcmpl-x' });
  }
});

test('69: once something has been said no other provider is asked, however the stream ends', async () => {
  const next = await healthy();
  const endings: ((socket: RawUpstream['requests'][0]['socket']) => void)[] = [
    (socket) => void socket.resetAndDestroy(),
    (socket) => void socket.write(LAST_HTTP_CHUNK),
    (socket) => void socket.write(toHttpChunk('data: {"error":{"message":"x","code":503}}\n\n')),
    (socket) => void socket.write(toHttpChunk('data: nonsense\n\n')),
  ];
  for (const ending of endings) {
    const upstream = await startRawUpstream(({ socket }) => {
      socket.write(STREAM_HEAD);
      socket.write(toHttpChunk(toTextEvent('Once')));
    });
    const { ask } = await startFaultGateway([upstream, next]);
    const reader = (await ask({ stream: true })).body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    ending(upstream.connections[0] as RawUpstream['requests'][0]['socket']);
    for (let rest = await reader?.read(); rest?.done === false; rest = await reader?.read()) text += rest.value;
    expect(parseFrames(text).slice(-2)).toMatchObject([
      { provider: 'Up0', choices: [{ finish_reason: 'error' }] },
      'done',
    ]);
  }
  expect(next.connections).toHaveLength(0);
});

test.each([
  [{ provider: { only: ['nobody'] } }, 'only'],
  [{ provider: { ignore: ['up0', 'up1'] } }, 'ignore'],
  [{ provider: { zdr: true } }, 'zdr'],
  [{ provider: { data_collection: 'deny' } }, 'data_collection'],
  [{ provider: { max_price: { prompt: 0.5 } } }, 'max_price'],
  [{ provider: { order: ['nobody'], allow_fallbacks: false } }, ''],
])('70: %j leaves no provider: 404 and not one connection', async (preferences, rule) => {
  const upstreams = [await healthy(), await healthy()];
  const { ask } = await startFaultGateway(upstreams);
  for (const stream of [false, true]) {
    const response = await ask({ stream, ...preferences });
    expect(response.status).toBe(404);
    const { error } = (await response.json()) as ErrorResponse;
    expect(error.metadata['error_type']).toBe('not_found');
    expect(error.message).toContain(rule);
  }
  expect(upstreams.flatMap(({ connections }) => connections)).toEqual([]);
});
