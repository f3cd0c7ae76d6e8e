import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { guardKey } from '../../../../test/support/gateways/guard-key.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { type GuardrailHitList, guardrailHitListSchema } from '../wire/guardrails.ts';

const COMPLETION = {
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      choices: [{ message: { content: 'a fox' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    }),
  ],
};
const NOTHING = { blocked: 0, redacted: 0, flagged: 0, narrowed: 0, unserved: 0, over_budget: 0 };

/** A gateway with a key that a guardrail with these rules holds for. */
async function prepare(rules: object) {
  const core = createCoreGateway(createReplayTransport(COMPLETION));
  const guarded = await guardKey(core, rules);
  const hitsOf = async (query = `guardrail=${guarded.guardrailId}`): Promise<GuardrailHitList> => {
    const response = await core.get(`/admin/v1/guardrails/hits?${query}`, MANAGEMENT_KEY);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    return guardrailHitListSchema.parse(jsonOf(response));
  };
  const say = (content: string, more: object = {}) =>
    core.chat({ messages: [{ role: 'user', content }], ...more }, { headers: guarded.headers });
  return { ...core, ...guarded, say, hitsOf };
}

test('counts what filters did to prompts and completions, also to those that were blocked, by the hour', async () => {
  const { say, hitsOf, platform, guardrailId, hash } = await prepare({
    content_filters: [
      { pattern: 'badger', action: 'block', label: 'Badgers' },
      { pattern: 'otter', action: 'redact', label: '[O]' },
      { pattern: 'fox', action: 'flag', direction: 'output' },
    ],
  });
  expect((await say('a badger')).status).toBe(403);
  expect((await say('an otter and an otter')).status).toBe(200);
  await platform.advance(60 * 60 * 1000);
  expect((await say('a badger')).status).toBe(403);
  const { data, bucket_ms: bucketMs, refusals, from, to } = await hitsOf();
  expect(data).toMatchObject([
    { guardrail_id: guardrailId, totals: { ...NOTHING, blocked: 2, redacted: 1, flagged: 1 } },
  ]);
  expect({ bucketMs, from, to }).toEqual({
    bucketMs: 3_600_000,
    from: '2026-01-01T04:00:00.000Z',
    to: '2026-01-02T05:00:00.000Z',
  });
  expect(data[0]?.buckets.slice(-3)).toEqual([
    NOTHING,
    { ...NOTHING, blocked: 1, redacted: 1, flagged: 1 },
    { ...NOTHING, blocked: 1 },
  ]);
  const refusal = { effect: 'blocked', rule: 'Badgers', key_hash: hash, key_name: 'k', model: 'acme/chat' };
  expect(refusals).toEqual([
    { ...refusal, at: '2026-01-02T04:04:05.000Z' },
    { ...refusal, at: '2026-01-02T03:04:05.000Z' },
  ]);
});

test('tells calls with fewer endpoints from those with none, and from those beyond the budget', async () => {
  const { say, hitsOf, patch, store, guardrailId } = await prepare({ ignored_providers: ['beta'] });
  expect((await say('Hi')).status).toBe(200);
  expect((await say('Hi', { model: 'acme/other' })).status).toBe(404);
  await patch({ ignored_providers: null, limit_usd: 0.000001 });
  expect((await say('Hi', { max_tokens: 10 })).status).toBe(403);
  const { data, refusals } = await hitsOf();
  expect(data[0]?.totals).toEqual({ ...NOTHING, narrowed: 1, unserved: 1, over_budget: 1 });
  expect(refusals?.map(({ effect, rule, model }) => [effect, rule, model])).toEqual([
    ['over_budget', 'limit_usd', null],
    ['unserved', 'ignored_providers', 'acme/other'],
  ]);
  expect(store.appended.map(({ record }) => record.generation.narrowed_by)).toEqual([[guardrailId]]);
});

test('finds the calls of a guardrail by a condition', async () => {
  const { say, chat, get, guardrailId } = await prepare({
    content_filters: [{ pattern: 'otter', action: 'redact' }],
    ignored_providers: ['beta'],
  });
  await chat();
  await say('an otter', { model: 'acme/chat' });
  await say('nothing of the kind');
  const list = async (where: string) =>
    jsonOf(await get(`/admin/v1/generations?where=${encodeURIComponent(where)}`, MANAGEMENT_KEY))['data'];
  expect(await list(`guardrail:${guardrailId}`)).toHaveLength(2);
  expect(await list(`guardrail:${guardrailId} stage:content-filter`)).toHaveLength(1);
  expect(await list('guardrail:another')).toEqual([]);
});

test('lists every guardrail that did something, by the day for a long time', async () => {
  const { say, hitsOf, platform, guardrailId } = await prepare({ content_filters: [{ pattern: 'a', action: 'flag' }] });
  await say('a');
  await platform.advance(26 * 60 * 60 * 1000);
  const { data, bucket_ms: bucketMs, refusals } = await hitsOf('from=2025-12-20T12:00:00Z');
  expect(refusals).toBeUndefined();
  expect(bucketMs).toBe(86_400_000);
  expect(data).toHaveLength(1);
  expect(data[0]?.guardrail_id).toBe(guardrailId);
  expect(data[0]?.buckets.map(({ flagged }) => flagged)).toEqual([...Array(13).fill(0), 1, 0]);
  expect((await hitsOf('')).data).toEqual([]);
});

test('keeps at most fifty refused calls a day, the latest', async () => {
  const { say, hitsOf } = await prepare({ content_filters: [{ pattern: 'a', action: 'block' }] });
  for (let call = 0; call < 53; call += 1) await say('a');
  const { data, refusals } = await hitsOf();
  expect(data[0]?.totals.blocked).toBe(53);
  expect(refusals).toHaveLength(50);
});

test('saves some seconds after the first call, and when the gateway closes', async () => {
  const { say, store, platform, gateway } = await prepare({ content_filters: [{ pattern: 'a', action: 'block' }] });
  await say('a');
  expect(await store.guardrailHits.list()).toEqual([]);
  await platform.advance(5000);
  expect(await store.guardrailHits.list()).toMatchObject([{ day: '2026-01-02', hours: { 3: { blocked: 1 } } }]);
  await say('a');
  const closing = gateway.close();
  await platform.advance(60_000);
  await closing;
  expect(await store.guardrailHits.list()).toMatchObject([{ hours: { 3: { blocked: 2 } } }]);
});

test('counts nothing of calls without a guardrail', async () => {
  const { chat, store, platform } = await prepare({});
  await chat();
  await platform.advance(10_000);
  expect(await store.guardrailHits.list()).toEqual([]);
});

test.each(['from=2026-03-01T00:00:00Z&to=2026-02-01T00:00:00Z', 'from=2020-01-01T00:00:00Z', 'by=minute'])(
  'refuses %s',
  async (query) => {
    const { get } = await prepare({});
    expect((await get(`/admin/v1/guardrails/hits?${query}`, MANAGEMENT_KEY)).status).toBe(400);
  },
);
