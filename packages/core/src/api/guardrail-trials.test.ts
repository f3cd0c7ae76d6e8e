import { expect, test } from 'vitest';

import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';
import { type GuardrailDryRunLine, guardrailDryRunLineSchema } from '../wire/guardrail-trials.ts';

const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const toScript = (content: string) => ({
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      choices: [{ message: { content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    }),
  ],
});
/** USD of one such call at Acme. */
const COST = 0.0002;

async function prepare(...completions: string[]) {
  const core = createCoreGateway(
    createReplayTransport(...(completions.length > 0 ? completions : ['Hi']).map(toScript)),
  );
  const start = (body: object) => core.post('/admin/v1/guardrails/dry-runs', body, { headers });
  return {
    ...core,
    start,
    say: (content: string, more: object = {}) => core.chat({ messages: [{ role: 'user', content }], ...more }),
    idsOf: () => core.store.appended.map(({ record }) => record.generation.id),
    async run(body: object): Promise<GuardrailDryRunLine & { readonly lines: number }> {
      const response = await start(body);
      expect(response.status, JSON.stringify(response.body)).toBe(200);
      const lines = (await readText(response.body)).trimEnd().split('\n');
      const read = lines.map((line) => guardrailDryRunLineSchema.parse(JSON.parse(line)));
      const last = read.at(-1) as GuardrailDryRunLine;
      expect(read.map(({ done }) => done)).toEqual(read.map((line) => line === last));
      return { ...last, examples: read.flatMap(({ examples }) => examples), lines: lines.length };
    },
  };
}

async function readText(body: unknown): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body as AsyncIterable<Uint8Array>) text += decoder.decode(piece, { stream: true });
  return text;
}

test('tells what a guardrail that is not made yet would have done to all calls', async () => {
  const { run, say, store, idsOf } = await prepare('Hi', 'a fox', 'Hi');
  await say('a badger');
  await say('what is it?');
  await say('an otter and a badger');
  await say('nothing');
  await say('gone');
  const ids = idsOf();
  await store.generations.deleteContent(ids[4] ?? '');
  const result = await run({
    change: {
      content_filters: [
        { pattern: 'badger', action: 'block', label: 'Badgers' },
        { pattern: 'otter', action: 'redact', label: '[O]' },
        { pattern: 'fox', action: 'block', label: 'Foxes', direction: 'output' },
      ],
    },
  });
  expect(result).toMatchObject({
    looked_at: 5,
    total: 5,
    back_to: '2026-01-02T03:04:05.000Z',
    touched: 3,
    blocked: 3,
    redacted: 0,
    without_content: 1,
    saved_usd: 2 * COST,
    saved_unknown: 0,
    rules: [
      { rule: 'Badgers', effect: 'blocked', calls: 2 },
      { rule: 'Foxes', effect: 'blocked', calls: 1 },
    ],
  });
  expect(result.examples.map(({ id, effects }) => [id, effects.map(({ rule }) => rule)])).toEqual([
    [ids[2], ['Badgers']],
    [ids[1], ['Foxes']],
    [ids[0], ['Badgers']],
  ]);
  expect(store.appended).toHaveLength(5);
});

test('tells calls that another endpoint would have served from those that none would have', async () => {
  const { run, say } = await prepare();
  await say('Hi');
  await say('Hi', { model: 'acme/other' });
  expect(await run({ change: { ignored_providers: ['acme'] } })).toMatchObject({
    rerouted: 1,
    unserved: 0,
    saved_usd: 0,
  });
  expect(await run({ change: { ignored_providers: ['beta'] } })).toMatchObject({
    rerouted: 0,
    unserved: 1,
    saved_usd: 0,
    saved_unknown: 1,
    rules: [{ rule: 'ignored_providers', effect: 'unserved', calls: 1 }],
  });
});

test('looks only at the calls that the filter chooses', async () => {
  const { run, say, platform } = await prepare();
  await say('a badger');
  await platform.advance(60_000);
  await say('a badger', { model: 'acme/other' });
  await platform.advance(60_000);
  await say('a badger');
  const change = { content_filters: [{ pattern: 'badger', action: 'block' }] };
  const tried = async (filter: object) => (await run({ change, filter })).looked_at;
  expect(await tried({ from: '2026-01-02T03:05:00Z' })).toBe(2);
  expect(await tried({ from: '2026-01-02T03:05:00Z', to: '2026-01-02T03:06:00Z' })).toBe(1);
  expect(await tried({ model: 'acme/other' })).toBe(1);
  expect(await tried({ where: 'provider:Acme' })).toBe(2);
});

test('tries a saved guardrail together with what is not saved of it', async () => {
  const { run, say, post } = await prepare();
  await say('a badger');
  await say('an otter');
  const fields = { name: 'g', content_filters: [{ pattern: 'badger', action: 'block' }] };
  const { id } = jsonOf(await post('/api/v1/guardrails', fields, { headers }))['data'] as { id: string };
  expect(await run({ guardrail_id: id })).toMatchObject({ blocked: 1, redacted: 0 });
  const change = { content_filters: [{ pattern: 'otter', action: 'redact' }] };
  expect(await run({ guardrail_id: id, change })).toMatchObject({ blocked: 0, redacted: 1 });
  expect(await run({ guardrail_id: id })).toMatchObject({ blocked: 1, redacted: 0 });
});

test('counts a budget for each key from the first call on, and what it would have saved', async () => {
  const { run, say, platform, idsOf } = await prepare();
  for (let call = 0; call < 5; call += 1) {
    await say(call === 1 ? 'a badger' : 'Hi');
    await platform.advance(1000);
  }
  const result = await run({
    change: { limit_usd: 2 * COST, content_filters: [{ pattern: 'badger', action: 'block' }] },
  });
  // The first and the third are within the budget, the second is refused by the filter.
  expect(result).toMatchObject({ blocked: 1, over_budget: 2, touched: 3, saved_usd: 0.0006 });
  const ids = idsOf();
  expect(result.examples.map(({ id }) => id)).toEqual([ids[1], ids[3], ids[4]]);
});

test('lists no more examples than are asked for', async () => {
  const { run, say } = await prepare();
  for (let call = 0; call < 4; call += 1) await say('a badger');
  const change = { content_filters: [{ pattern: 'badger', action: 'flag' }] };
  const some = await run({ change, examples: 2 });
  expect(some.examples).toHaveLength(2);
  // A pattern without a label is named by itself.
  expect(some.rules).toEqual([{ rule: 'badger', effect: 'flagged', calls: 4 }]);
  expect(await run({ change, examples: 0 })).toMatchObject({ flagged: 4, examples: [] });
});

test('looks at more calls than a page has, with a line now and then, and at none that come meanwhile', async () => {
  const { start, say, platform } = await prepare();
  for (let call = 0; call < 250; call += 1) await say(call % 50 === 0 ? 'a badger' : 'Hi');
  const { body } = await start({ change: { content_filters: [{ pattern: 'badger', action: 'flag' }] } });
  const reading = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const first = JSON.parse(new TextDecoder().decode((await reading.next()).value)) as GuardrailDryRunLine;
  expect(first).toMatchObject({ done: false, looked_at: 0, total: 250 });
  await platform.advance(1000);
  await say('a badger');
  let last = first;
  let examples = 0;
  for (;;) {
    const { value, done } = await reading.next();
    if (done === true) break;
    last = JSON.parse(new TextDecoder().decode(value)) as GuardrailDryRunLine;
    examples += last.examples.length;
  }
  expect(last).toMatchObject({ done: true, looked_at: 250, flagged: 5 });
  expect(examples).toBe(5);
});

test('stops when its reader leaves', async () => {
  const core = await prepare();
  for (let call = 0; call < 150; call += 1) await core.say('Hi');
  const leaving = new AbortController();
  const response = await core.post(
    '/admin/v1/guardrails/dry-runs',
    { change: { content_filters: [{ pattern: 'badger', action: 'flag' }] } },
    { headers, signal: leaving.signal },
  );
  const reading = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  await reading.next();
  leaving.abort();
  expect((await reading.next()).done).toBe(true);
});

test.each([
  {},
  { change: { limit_usd: -1 } },
  { change: {}, filter: { since: 'yesterday' } },
  { change: {}, filter: { where: 'colour:red' } },
  { change: {}, examples: 201 },
  { change: { content_filters: [{ pattern: '(?=a)', action: 'block' }] } },
  { change: { allowed_models: ['acme/chta'] } },
])('refuses to run %j', async (body) => {
  const { start } = await prepare();
  expect((await start(body)).status).toBe(400);
});

test('says that there is no such guardrail', async () => {
  const { start } = await prepare();
  expect((await start({ guardrail_id: 'none' })).status).toBe(404);
});
