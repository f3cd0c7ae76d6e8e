import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createJsonFileStore } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { cpuMs } from '../support/async/cpu-ms.ts';
import { createBroadcastOptions } from '../support/broadcast/broadcast-options.ts';
import { startReceiver } from '../support/broadcast/receiver.ts';
import { type FaultGateway, type FaultGatewayOptions, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import {
  respondWell,
  DONE_EVENT,
  FINISH_EVENT,
  LAST_HTTP_CHUNK,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
  toRawResponse,
  toHttpChunk,
  toTextEvent,
} from '../support/upstreams/raw-upstream.ts';

interface Guarded extends FaultGateway {
  readonly allowed: RawUpstream;
  readonly forbidden: RawUpstream;
  admin(method: string, path: string, body?: object): Promise<Response>;
  patch(change: object): Promise<void>;
  /** Asks with a key that the guardrail holds for. */
  askGuarded(body?: object): Promise<Response>;
}

/** A gateway over two upstreams, `up0` and `up1`, and a key that a guardrail with these fields holds for. */
async function start(fields: object, options: FaultGatewayOptions = {}, serve = respondWell): Promise<Guarded> {
  const allowed = await startRawUpstream((request) => serve(request));
  const forbidden = await startRawUpstream((request) => respondWell(request));
  const gateway = await startFaultGateway([allowed, forbidden], options);
  const admin: Guarded['admin'] = (method, path, body) =>
    fetch(`${gateway.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${TEST_MANAGEMENT_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const create = async (path: string, body: object) =>
    (await (await admin('POST', path, body)).json()) as { key: string; data: { hash: string; id: string } };
  const { key, data } = await create('/keys', { name: 'k' });
  const guardrail = await create('/guardrails', { name: 'g', ...fields });
  await create(`/guardrails/${guardrail.data.id}/assignments/keys`, { key_hashes: [data.hash] });
  return {
    ...gateway,
    allowed,
    forbidden,
    admin,
    async patch(change) {
      expect((await admin('PATCH', `/guardrails/${guardrail.data.id}`, change)).status).toBe(200);
    },
    askGuarded: (body = {}) =>
      gateway.ask(body, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      }),
  };
}

const says = (content: string) => ({ messages: [{ role: 'user', content }] });

const HOSTILE = [
  '(a+)+$',
  '^(\\w+\\s?)+$',
  '(a|aa)+$',
  '(.*)*x',
  '(\\w*\\d*)*!',
  '((a{1,20}){1,20}){1,20}',
  '(a)\\1',
  '(?<n>a)\\k<n>',
  '(?<=a)b',
  '(?!a)b',
  'a{10000}',
  'x'.repeat(10_000),
  '(?:'.repeat(5000) + ')'.repeat(5000),
  '[',
  '(',
  '\\',
];

test.each(HOSTILE.map((pattern) => [pattern.slice(0, 40), pattern] as const))(
  '149: %s is refused, or ends soon while all other calls are served',
  async (_, pattern) => {
    const setup = await start({});
    const filters = { content_filters: [{ pattern, action: 'flag' }] };
    const created = await setup.admin('POST', '/guardrails', { name: 'g', ...filters });
    if (created.status === 400) {
      expect(await created.json()).toMatchObject({ error: { metadata: { reason: 'invalid_regex_pattern' } } });
      return;
    }
    expect(created.status).toBe(201);
    await setup.patch(filters);
    const startedAt = cpuMs();
    const asked = setup.askGuarded(says(`${'a'.repeat(100_000)}!`));
    const health = await fetch(`${setup.listener.url}/health`);
    expect([health.status, (await asked).status]).toEqual([200, 200]);
    // V8's own engine would take until the end of the world.
    expect(cpuMs() - startedAt).toBeLessThan(2000);
  },
);

const CANARY = 'jo.canary@example.com';
const CARD = '4111 1111 1111 1111';

test('153: what is redacted reaches neither upstream, nor the disk, nor a destination, nor a log, nor the response', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'guardrails-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const store = await createJsonFileStore({ dir });
  const builtIns = ['email', 'credit-card'].map((slug) => ({ slug, action: 'redact', direction: 'both' }));
  const setup = await start(
    { content_filter_builtins: builtIns },
    { gateway: { store, broadcast: createBroadcastOptions() } },
    (request) => respondWell(request, `Ask ${CANARY}.`),
  );
  const receiver = await startReceiver();
  const config = { url: `${receiver.url}/hook`, method: 'POST' };
  const destination = await setup.admin('POST', '/observability/destinations', { type: 'webhook', name: 'd', config });
  expect(destination.status).toBe(201);
  const args = JSON.stringify({ to: `a\n${CANARY}`, card: CARD });
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: args } };
  const body = {
    messages: [
      { role: 'system', content: `Of ${CANARY}` },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Card 4111 1111 ' },
          { type: 'text', text: '1111 1111.' },
        ],
        name: CANARY,
      },
      { role: 'assistant', content: null, reasoning: CARD, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: JSON.stringify({ said: `mail\t${CANARY}` }) },
    ],
    user: CANARY,
    session_id: CANARY,
    metadata: { [CANARY]: CARD },
    trace: { id: CANARY, generation_name: CARD },
  };
  for (const stream of [false, true]) {
    const response = await setup.askGuarded({ ...body, stream });
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain('canary');
  }
  const delivered = (await receiver.received(1)).map(({ body: sent }) => sent.toString());
  expect(delivered.join()).toContain('[EMAIL]');
  await setup.gateway.close();
  await store.close();
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(files.join()).toContain('[EMAIL]');
  const places = [
    ...setup.allowed.requests.map(({ body: sent }) => sent),
    ...delivered,
    ...files,
    JSON.stringify(setup.logged),
  ];
  for (const place of places) {
    expect(place).not.toContain('canary');
    expect(place).not.toMatch(/4111 1111/);
  }
  expect(setup.allowed.requests[0]?.body).toContain('Of [EMAIL]');
});

const MODELS = [
  { id: 'test/model', endpoints: ['up0', 'up1'].map((provider) => ({ provider, providerModel: 'm' })) },
  { id: 'test/other', canonical_slug: 'test/other-2026-01-01', endpoints: [{ provider: 'up1', providerModel: 'm' }] },
];

/** Ways to name what is forbidden. */
const NAMES: readonly object[] = [
  { model: 'test/other' },
  { model: 'test/other-2026-01-01' },
  { model: 'Test/Other' },
  { model: 'test/other ' },
  { model: 'test/оther' },
  { model: 'test/other:free' },
  { model: 'test/other:online' },
  { model: 'test/other:nitro' },
  { model: 'test/other:floor' },
  { model: '~test/other-latest' },
  { models: ['test/other', 'test/model'] },
  { models: ['test/model', 'test/other'] },
  { model: 'test/model', models: ['test/other'] },
  { model: 'openrouter/auto' },
  { model: 'service/auto' },
  { model: 'openrouter/free' },
  { model: 'test/model', provider: { only: ['up1'] } },
  { model: 'test/model', provider: { order: ['up1'] } },
  { model: 'test/model', provider: { ignore: ['up0'] } },
  { model: 'test/model', provider: { order: ['up1'], allow_fallbacks: false } },
  { model: 'test/other', preset: 'p' },
  { model: 'test/other', plugins: [{ id: 'auto-router', allowed_models: ['test/other'] }] },
];

test.each([
  [{ allowed_models: ['test/model'], allowed_providers: ['up0'] }],
  [{ ignored_models: ['test/other'], ignored_providers: ['up1'] }],
])('154: under %j no way of naming it leads to what is forbidden, not even when the allowed fails', async (fields) => {
  const setup = await start(fields, { gateway: { models: MODELS } }, ({ socket }) =>
    socket.write(toRawResponse(500, { error: { message: 'down' } })),
  );
  for (const name of NAMES) {
    for (const stream of [false, true]) {
      const response = await setup.askGuarded({ provider: undefined, ...name, stream });
      expect([name, response.status]).not.toEqual([name, 200]);
      await response.text();
    }
  }
  expect(setup.allowed.requests.length).toBeGreaterThan(0);
  expect(setup.forbidden.requests).toEqual([]);
});

test('155: a call keeps to the guardrail that held when it came in, the next to what holds then', async () => {
  const held: (() => void)[] = [];
  const setup = await start(
    { content_filters: [{ pattern: 'badger', action: 'redact', label: '[B]', direction: 'both' }] },
    {},
    ({ socket }) => {
      socket.write(STREAM_HEAD);
      socket.write(toHttpChunk(toTextEvent('a bad')));
      held.push(() => {
        socket.write(toHttpChunk(toTextEvent('ger') + FINISH_EVENT + DONE_EVENT));
        socket.write(LAST_HTTP_CHUNK);
      });
    },
  );
  const reading = setup.askGuarded({ ...says('badger'), stream: true }).then((response) => response.text());
  await setup.allowed.nextRequest();
  await setup.patch({ content_filters: null });
  held.shift()?.();
  const first = await reading;
  expect(first).toContain('[B]');
  expect(first).not.toContain('ger');
  const next = setup.askGuarded({ ...says('badger'), stream: true }).then((response) => response.text());
  const request = await setup.allowed.nextRequest();
  expect(request.body).toContain('badger');
  held.shift()?.();
  expect(await next).toContain('ger');
});
