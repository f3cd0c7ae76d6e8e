import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import { API_KEY, createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { toEvent, toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import {
  createReplayTransport,
  createScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { Gateway } from '../gateway.ts';
import { toFetchHandler } from './fetch-handler.ts';
import type { GatewayRequest, Principal } from './request.ts';
import type { GatewayResponse } from './response.ts';

const piece = (content: string): object => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

const chatRequest = (
  body: string | ReadableStream<Uint8Array>,
  init: RequestInit = {},
  path = '/api/v1/chat/completions',
): Request => {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  return new Request(`https://host.example${path}`, { method: 'POST', body, headers, duplex: 'half', ...init });
};

const HELLO = { model: 'acme/chat', messages: [{ role: 'user', content: 'Héllo' }] };

/** A gateway that only shows the requests it received. */
function echo(response: Partial<GatewayResponse> = {}): { gateway: Gateway; asked: GatewayRequest[] } {
  const asked: GatewayRequest[] = [];
  const gateway: Gateway = {
    ...createCoreGateway(createScriptedTransport()).gateway,
    handle(request) {
      asked.push(request);
      return Promise.resolve({ status: 200, headers: {}, body: null, ...response });
    },
  };
  return { gateway, asked };
}

test('responds to a call in one piece', async () => {
  const { gateway } = createCoreGateway(
    createReplayTransport({
      headers: { 'content-type': 'application/json' },
      pieces: ['{"choices":[{"message":{"content":"Hi é"},"finish_reason":"stop"}]}'],
    }),
  );
  const response = await toFetchHandler(gateway)(chatRequest(JSON.stringify(HELLO)));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hi é' } }] });
});

test('responds with a stream and its headers', async () => {
  const { gateway } = createCoreGateway(createReplayTransport({ pieces: toEventPieces([piece('Hi'), stop]) }));
  const response = await toFetchHandler(gateway)(chatRequest(JSON.stringify({ ...HELLO, stream: true })));
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-generation-id')).toMatch(/^gen-/);
  expect(await response.text()).toMatch(/"content":"Hi"[^]*data: \[DONE\]\n\n$/);
});

test('hands over the path below its mount, undecoded, the query and the public address', async () => {
  const { gateway, asked } = echo();
  const handle = toFetchHandler(gateway, { mountPath: '/ai/' });
  await handle(
    new Request('https://host.example/ai/api/v1/models/a/b%2Fc/endpoints?q=%20x&q=y', {
      headers: { 'X-Session-Id': 's' },
    }),
  );
  expect(asked[0]).toMatchObject({
    method: 'GET',
    path: '/api/v1/models/a/b%2Fc/endpoints',
    query: 'q=%20x&q=y',
    baseUrl: 'https://host.example/ai',
    headers: { 'x-session-id': 's' },
  });
  await toFetchHandler(gateway, { expose: ['health'] })(new Request('https://host.example/health'));
  expect(asked[1]).toMatchObject({ path: '/health', query: '', baseUrl: 'https://host.example' });
  // Behind a proxy.
  const behind = toFetchHandler(gateway, { mountPath: '/ai', publicOrigin: 'https://ai.example' });
  await behind(new Request('http://10.0.0.5:3000/ai/api/v1/models'));
  expect(asked[2]).toMatchObject({ path: '/api/v1/models', baseUrl: 'https://ai.example/ai' });
});

test('serves only the exposed routes besides the API', async () => {
  const { gateway, asked } = echo();
  for (const path of ['/health', '/ready', '/metrics', '/openapi.json']) {
    expect((await toFetchHandler(gateway)(new Request(`https://host.example${path}`))).status).toBe(404);
  }
  expect(asked).toEqual([]);
  const handle = toFetchHandler(gateway, { expose: ['openapi'] });
  expect((await handle(new Request('https://host.example/openapi.json'))).status).toBe(200);
  expect((await handle(new Request('https://host.example/ready'))).status).toBe(404);
});

test('a name that cannot be exposed is refused with those that can', () => {
  const { gateway } = echo();
  const exposing =
    (...names: string[]) =>
    () =>
      toFetchHandler(gateway, { expose: names as 'health'[] });
  const known = 'ollama, gemini, health, metrics, openapi, admin';
  expect(exposing('health', 'metric')).toThrow(new RangeError(`expose has "metric", which is none of ${known}`));
  expect(exposing('api', 'health')).not.toThrow();
  expect(exposing('ui')).toThrow(`which is none of ${known}. The web UI is a part of the command alone`);
});

test.each(['/', '/ai', '/aix/health', '/other/ai/health', '/health'])(
  'responds with 404 to %s when it is mounted at /ai',
  async (path) => {
    const { gateway, asked } = echo();
    const response = await toFetchHandler(gateway, { mountPath: '/ai' })(new Request(`https://host.example${path}`));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 404 } });
    expect(asked).toHaveLength(0);
  },
);

const models = (headers: Record<string, string> = {}, path = '/api/v1/models'): Request =>
  new Request(`https://host.example${path}`, { headers });
const PRINCIPAL: Principal = { kind: 'api', id: 'u', name: 'u' };

test.each([
  ['at once', (request: Request) => (request.headers.get('cookie') === 'yes' ? PRINCIPAL : null)],
  ['later', async (request: Request) => (request.headers.get('cookie') === 'yes' ? PRINCIPAL : null)],
])('lets the host authenticate %s in place of keys', async (_, authenticate) => {
  const { gateway } = createCoreGateway(createScriptedTransport());
  const handle = toFetchHandler(gateway, { authenticate });
  expect((await handle(models({ cookie: 'yes' }))).status).toBe(200);
  const refused = await handle(models({ authorization: `Bearer ${API_KEY}` }));
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ error: { code: 401, metadata: { error_type: 'authentication' } } });
});

test('responds with 500 to what the authentication of the host throws, and logs it', async () => {
  const { gateway, logged } = createCoreGateway(createScriptedTransport());
  const handle = toFetchHandler(gateway, {
    authenticate: () => {
      throw new Error('the session store is down');
    },
  });
  const response = await handle(models());
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { code: 500, message: expect.not.stringContaining('store') } });
  expect(logged).toMatchObject([
    { line: 'error a request failed', fields: { reason: expect.stringContaining('the session store is down') } },
  ]);
});

test('does not ask the host about health checks and the OpenAPI document', async () => {
  const { gateway } = createCoreGateway(createScriptedTransport());
  const asked: string[] = [];
  const handle = toFetchHandler(gateway, {
    expose: ['health', 'openapi'],
    authenticate: ({ url }) => {
      asked.push(url);
      return null;
    },
  });
  expect((await handle(models({}, '/health'))).status).toBe(200);
  expect((await handle(models({}, '/openapi.json'))).status).toBe(200);
  expect(asked).toEqual([]);
});

function streamOf(...pieces: readonly Uint8Array[]): {
  body: ReadableStream<Uint8Array>;
  taken: () => number;
  isCancelled: () => boolean;
} {
  let taken = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = pieces[taken];
        taken += 1;
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
      cancel() {
        isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken, isCancelled: () => isCancelled };
}

test('joins the pieces of a body', async () => {
  const { gateway, asked } = echo();
  const bytes = new TextEncoder().encode('Héllo');
  const { body } = streamOf(bytes.subarray(0, 2), bytes.subarray(2, 2), bytes.subarray(2));
  await toFetchHandler(gateway)(chatRequest(body));
  expect(new TextDecoder().decode(await asked[0]?.readBody())).toBe('Héllo');
  await toFetchHandler(gateway)(new Request('https://host.example/api/v1/models'));
  expect(await asked[1]?.readBody()).toEqual(new Uint8Array());
});

test('responds with 413 above the limit, without reading on', async () => {
  const { gateway } = createCoreGateway(createScriptedTransport());
  const handle = toFetchHandler(gateway, { bodyLimitBytes: 100 });
  const large = streamOf(...Array.from({ length: 50 }, () => new Uint8Array(40)));
  const response = await handle(chatRequest(large.body));
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { message: 'The body is larger than 100 bytes' } });
  expect(large.taken()).toBe(3);
  expect(large.isCancelled()).toBe(true);

  const declared = streamOf(new Uint8Array(1));
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-length': '101' };
  expect((await handle(chatRequest(declared.body, { headers }))).status).toBe(413);
  expect(declared.taken()).toBe(0);
});

test('responds with 422 to a body that the application has read or holds', async () => {
  const handle = toFetchHandler(createCoreGateway(createScriptedTransport()).gateway);
  const read = chatRequest(JSON.stringify(HELLO));
  await read.json();
  const held = chatRequest(JSON.stringify(HELLO));
  held.body?.getReader();
  for (const request of [read, held]) {
    const response = await handle(request);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('request.clone()');
  }
});

test('takes a body of exactly the limit', async () => {
  const { gateway, asked } = echo();
  await toFetchHandler(gateway, { bodyLimitBytes: 100 })(
    chatRequest(streamOf(new Uint8Array(60), new Uint8Array(40)).body),
  );
  expect(await asked[0]?.readBody()).toHaveLength(100);
});

test('responds with bytes, with text and with no body', async () => {
  const request = new Request('https://host.example/api/v1/models');
  expect(await (await toFetchHandler(echo({ body: Uint8Array.of(104, 105) }).gateway)(request)).text()).toBe('hi');
  expect(await (await toFetchHandler(echo({ body: 'hi' }).gateway)(request)).text()).toBe('hi');
  expect((await toFetchHandler(echo({ body: null }).gateway)(request)).body).toBeNull();
});

test('responds with 400 for a client that disconnected, because hosts refuse a status of 499', async () => {
  expect(
    (await toFetchHandler(echo({ status: 499 }).gateway)(new Request('https://host.example/api/v1/models'))).status,
  ).toBe(400);
});

test('closes the upstream when the reader of a stream leaves', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(piece('Hi')));
  });
  const { gateway, store } = createCoreGateway(transport);
  const response = await toFetchHandler(gateway)(chatRequest(JSON.stringify({ ...HELLO, stream: true })));
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await settle();
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(store.appended.map(({ record }) => record.generation.cancelled)).toEqual([true]);
});

test('closes the upstream when the request is aborted', async () => {
  const transport = createScriptedTransport();
  const { gateway, store } = createCoreGateway(transport);
  const client = new AbortController();
  const pending = toFetchHandler(gateway)(chatRequest(JSON.stringify(HELLO), { signal: client.signal }));
  await settle();
  client.abort();
  expect((await pending).status).toBe(400);
  expect(transport.exchanges[0]?.isClosed).toBe(true);
  expect(store.appended).toHaveLength(1);
});

test.each([
  ['a call', '/api/v1/chat/completions'],
  ['a count', '/api/v1/messages/count_tokens'],
])('a body of %s that breaks off is an error of the client, where the host aborts nothing', async (_, path) => {
  const { gateway, logged } = createCoreGateway(createScriptedTransport());
  const upload = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"model":')),
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  const response = await toFetchHandler(gateway)(chatRequest(upload, {}, path));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('cut off') } });
  expect(logged).toEqual([]);
});

test('does not report a client that disconnects during its upload as a failure of the gateway', async () => {
  const { gateway, logged } = createCoreGateway(createScriptedTransport());
  const client = new AbortController();
  const upload = new ReadableStream<Uint8Array>({
    pull(controller) {
      client.abort();
      controller.error(client.signal.reason);
    },
  });
  const response = await toFetchHandler(gateway)(chatRequest(upload, { signal: client.signal }));
  expect(response.status).toBe(400);
  expect(logged).toEqual([]);
});

test('reads a stream ahead by no more than one piece', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    for (let i = 0; i < 100; i += 1) exchange.push(toEvent(piece(String(i))));
  });
  const { gateway } = createCoreGateway(transport);
  const response = await toFetchHandler(gateway)(chatRequest(JSON.stringify({ ...HELLO, stream: true })));
  await settle();
  expect(transport.exchanges[0]?.pulls).toBeLessThanOrEqual(2);
  const reader = response.body?.getReader();
  for (let i = 0; i < 5; i += 1) await reader?.read();
  await settle();
  expect(transport.exchanges[0]?.pulls).toBeLessThanOrEqual(7);
  await reader?.cancel();
});

/** A host that ends with its response, unless it is held. */
function createEndingHost(): {
  held: Promise<unknown>[];
  isOver: () => Promise<boolean>;
  waitUntil(work: Promise<unknown>): void;
} {
  const held: Promise<unknown>[] = [];
  return {
    held,
    async isOver() {
      await settle();
      const over = Symbol('over');
      const first = await Promise.race([Promise.all(held), settle().then(() => over)]);
      return first !== over;
    },
    // A method, as on Workers, where it needs its own `this`.
    waitUntil(work) {
      this.held.push(work);
    },
  };
}

test('keeps a host that would end with the response until the call is recorded and its listeners are done', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    exchange.push(toEvent(piece('Hi')));
  });
  let endListener = (): void => undefined;
  const { gateway, store } = createCoreGateway(transport, {
    onGeneration: () => new Promise<void>((resolve) => void (endListener = resolve)),
  });
  const host = createEndingHost();
  const response = await toFetchHandler(gateway)(chatRequest(JSON.stringify({ ...HELLO, stream: true })), host);
  const reader = response.body?.getReader();
  await reader?.read();
  expect(await host.isOver()).toBe(false);
  void reader?.cancel();
  await settle();
  expect(store.appended).toHaveLength(1);
  expect(await host.isOver()).toBe(false);
  endListener();
  expect(await host.isOver()).toBe(true);
});

test('keeps a host no longer than a whole response takes', async () => {
  const { gateway } = createCoreGateway(createScriptedTransport());
  const held: Promise<unknown>[] = [];
  const handle = toFetchHandler(gateway, { waitUntil: (work) => void held.push(work) });
  const headers = { authorization: `Bearer ${API_KEY}` };
  // What Next.js, Bun and Deno give beside the request is no context of this kind.
  expect((await handle(new Request('https://host.example/api/v1/models', { headers }), { params: {} })).status).toBe(
    200,
  );
  expect(held).toHaveLength(1);
  await Promise.all(held);
});
