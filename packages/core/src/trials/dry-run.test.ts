import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { type GuardrailTestResult, guardrailTestResultSchema } from '../wire/guardrail-trials.ts';

const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const toScript = (content: string) => ({
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] })],
});

/** A gateway and the guardrail to try, which is assigned to no key and no member. */
async function prepare(fields: object, ...responses: string[]) {
  const upstream = createReplayTransport(...responses.map(toScript));
  const core = createCoreGateway(upstream);
  const created = jsonOf(await core.post('/api/v1/guardrails', { name: 'g', ...fields }, { headers }));
  const { id } = created['data'] as { id: string };
  const send = (body: object) => core.post(`/admin/v1/guardrails/${id}/test`, body, { headers });
  return {
    ...core,
    upstream,
    send,
    async tried(body: object): Promise<GuardrailTestResult> {
      const response = await send(body);
      expect(response.status, JSON.stringify(response.body)).toBe(200);
      return guardrailTestResultSchema.parse(jsonOf(response)).data;
    },
  };
}

const chat = (content: string) => ({ model: 'acme/chat', messages: [{ role: 'user', content }] });

test('reports what would be redacted and excluded in a request, without calling a provider', async () => {
  const { tried, upstream, store } = await prepare({
    content_filters: [{ pattern: 'badger', action: 'redact', label: '[B]' }],
    allowed_providers: ['acme'],
  });
  const { request, generations } = await tried({ request: chat('a badger') });
  expect(generations).toBeNull();
  expect(request).toMatchObject({
    action: 'redact',
    redacted_messages: [{ role: 'user', content: 'a [B]' }],
    excluded: [{ provider: 'beta', model: 'acme/chat', rule: 'allowed_providers' }],
    endpoints_left: 1,
  });
  expect((await tried({ request: chat('a fox') })).request).toMatchObject({ action: 'allow', redacted_messages: null });
  expect(upstream.exchanges).toHaveLength(0);
  expect(store.appended).toHaveLength(0);
});

test('names the strongest action of several, and what would exclude everything', async () => {
  const { tried } = await prepare({
    content_filters: [
      { pattern: 'fox', action: 'flag', label: 'F' },
      { pattern: 'badger', action: 'block', label: 'X1' },
    ],
    ignored_models: ['acme/chat'],
  });
  const { request } = await tried({ request: chat('fox and badger') });
  expect(request).toMatchObject({
    action: 'block',
    stages: [
      { name: 'content-filter', data: { action: 'blocked', matched_entity_types: ['X1'] } },
      { data: { action: 'flagged' } },
    ],
    endpoints_left: 0,
  });
});

test('shows no messages of a request that would not be sent', async () => {
  const { tried } = await prepare({
    content_filter_builtins: [
      { slug: 'credit-card', action: 'redact' },
      { slug: 'secrets', action: 'block' },
    ],
  });
  const card = 'my card is 4111 1111 1111 1111';
  expect((await tried({ request: chat(card) })).request).toMatchObject({
    action: 'redact',
    redacted_messages: [{ content: 'my card is [CREDIT_CARD]' }],
  });
  const key = `sk-${'a1B2c3D4'.repeat(6)}`;
  const { request } = await tried({ request: chat(`${card}, my key is ${key}`) });
  expect(request).toMatchObject({ action: 'block', redacted_messages: null });
  const change = { ignored_models: ['acme/chat'] };
  expect((await tried({ request: chat(card), change })).request).toMatchObject({
    action: 'redact',
    redacted_messages: null,
    endpoints_left: 0,
  });
});

test('goes through the latest generations and shows those that would have been touched', async () => {
  const {
    tried,
    chat: ask,
    store,
  } = await prepare(
    {
      content_filters: [
        { pattern: 'badger', action: 'block', label: 'X1' },
        { pattern: 'fox', action: 'redact', direction: 'output' },
      ],
      ignored_providers: ['beta'],
    },
    'Hi',
    'a fox',
    'Hi',
    'Hi',
  );
  await ask(chat('a badger'));
  await ask(chat('what is it?'));
  await ask(chat('nothing'));
  await ask({ ...chat('nothing'), model: 'acme/other' });
  const ids = store.appended.map(({ record }) => record.generation.id);
  await store.generations.deleteContent(ids[2] ?? '');
  const { generations } = await tried({ generations: 10 });
  expect(generations).toMatchObject({
    tested: 4,
    without_content: 1,
    blocked: 1,
    redacted: 1,
    flagged: 0,
    excluded: 1,
    results: [
      { id: ids[3], excluded: { provider: 'beta', rule: 'ignored_providers' }, input: { action: 'allow' } },
      { id: ids[1], input: { action: 'allow' }, output: { action: 'redact' }, excluded: null },
      { id: ids[0], input: { action: 'block' }, output: { action: 'allow' } },
    ],
  });
  expect((await tried({ generations: 1 })).generations).toMatchObject({ tested: 1, excluded: 1, blocked: 0 });
});

test.each([
  {},
  { generations: 0 },
  { generations: 101 },
  { request: { messages: [] } },
  { generations: 1, more: true },
])('refuses to try %j', async (body) => {
  const { send } = await prepare({});
  expect((await send(body)).status).toBe(400);
});
