import type { ModelDefinition } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createEchoTransport, ECHO_MODELS, type EchoedRequest } from '../../../../test/support/gateways/echo-models.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { CreateRateCounter } from '../limits/rate-limits.ts';
import type { GatewayOptions } from '../options.ts';
import type { Rerun, RerunEstimate, RerunPair, RerunTargetReport } from '../wire/reruns.ts';

const RERUNS = '/admin/v1/reruns';
const TARGETS = [{ model: 'acme/other' }];
const say = ({ model, messages }: EchoedRequest): string => `${model}: ${messages.at(-1)?.content ?? ''}`;

/** A gateway with an upstream that echoes, and a way to call its administration. */
function prepare(speak: Parameters<typeof createEchoTransport>[0] = say, options: Partial<GatewayOptions> = {}) {
  const upstream = createEchoTransport(speak);
  const core = createCoreGateway(upstream, { models: ECHO_MODELS, ...options });
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const call = async (method: string, path: string, body?: object) => {
    const [pathname = '', query = ''] = path.split('?');
    const response = await core.gateway.handle({
      method,
      path: pathname,
      query,
      headers,
      baseUrl: 'https://gateway.example',
      signal: new AbortController().signal,
      ...bodyOf(body === undefined ? '' : JSON.stringify(body)),
    });
    return response;
  };
  const dataOf = async <Data>(method: string, path: string, body?: object): Promise<Data> => {
    const response = await call(method, path, body);
    const json = jsonOf(response);
    expect(response.status, JSON.stringify(json)).toBeLessThan(300);
    return json['data'] as Data;
  };
  return {
    ...core,
    upstream,
    call,
    dataOf,
    async ask(content: string, more: object = {}): Promise<string> {
      const response = await core.chat({ messages: [{ role: 'user', content }], max_tokens: 100, ...more });
      expect(response.status).toBe(200);
      return jsonOf(response)['id'] as string;
    },
    begin: (body: object) => dataOf<Rerun>('POST', RERUNS, { max_cost_usd: 1, targets: TARGETS, ...body }),
    ended: (id: string) => endOf(id, dataOf),
    pairsOf: (id: string) => dataOf<RerunPair[]>('GET', `${RERUNS}/${id}/items`),
  };
}

type Report = Rerun & { readonly results: readonly RerunTargetReport[] };

async function endOf(id: string, dataOf: <Data>(method: string, path: string) => Promise<Data>): Promise<Report> {
  const find = async (): Promise<Report | undefined> => {
    const report = await dataOf<Report>('GET', `${RERUNS}/${id}`);
    return report.state === 'running' ? undefined : report;
  };
  return until(find, () => `The rerun ${id} does not end`);
}

test('runs calls again against another model, and shows both completions', async () => {
  const { ask, begin, ended, pairsOf, upstream } = prepare();
  const ids = [await ask('one'), await ask('two')];
  const { id, counts } = await begin({ set: { generation_ids: ids }, judges: [{ type: 'length' }] });
  expect(counts).toEqual({ total: 2, pending: 2, running: 0, done: 0, failed: 0 });
  const report = await ended(id);
  expect(report).toMatchObject({ state: 'done', counts: { done: 2, failed: 0 }, reason: null });
  expect(report.results).toMatchObject([
    { model: 'acme/other', done: 2, errors: 0, outcomes: { judged: 2, tie: { count: 2, share: 1, low: 1, high: 1 } } },
  ]);
  expect(report.spent_usd).toBeCloseTo(report.results[0]?.figures.cost_usd ?? 0, 12);
  expect(upstream.exchanges.map(({ sent }) => sent['model'])).toEqual(['chat', 'chat', 'other', 'other']);
  const pairs = await pairsOf(id);
  expect(pairs.map(({ original, completion }) => [original?.text, completion?.text])).toEqual([
    ['chat: one', 'other: one'],
    ['chat: two', 'other: two'],
  ]);
  expect(pairs.map(({ original_generation_id: original }) => original)).toEqual(ids);
});

test('counts the calls that are under way', async () => {
  let look = (): void => undefined;
  const { ask, begin, ended, dataOf } = prepare((sent) => {
    if (sent.model === 'other') look();
    return say(sent);
  });
  const ids = [await ask('one'), await ask('two')];
  const { id } = await begin({ set: { generation_ids: ids }, concurrency: 1, start: false });
  const seen: Promise<Report>[] = [];
  look = () => void seen.push(dataOf<Report>('GET', `${RERUNS}/${id}`));
  await dataOf('POST', `${RERUNS}/${id}/resume`, {});
  await ended(id);
  expect((await Promise.all(seen)).map(({ counts }) => counts)).toMatchObject([
    { pending: 1, running: 1, done: 0 },
    { pending: 0, running: 1, done: 1 },
  ]);
});

test('puts a preset over the request, in the version that there was when the rerun was created', async () => {
  const { ask, begin, ended, dataOf, call, store, upstream } = prepare();
  const save = (contents: object) => dataOf<{ id: string }>('POST', '/api/v1/presets/brief/chat/completions', contents);
  const lookUp = (description: string) => ({ type: 'function', function: { name: 'look', description } });
  const preset = await save({
    model: 'acme/other',
    temperature: 0.1,
    max_completion_tokens: 9,
    tools: [lookUp('new')],
    plugins: [{ id: 'web' }],
    messages: [{ role: 'system', content: 'Be brief.' }],
  });
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'one' },
  ];
  const original = await ask('one', { temperature: 1, top_p: 0.5, tools: [lookUp('old')], messages });
  const set = { generation_ids: [original] };
  const plan = { set, targets: [{ preset: 'brief' }, { preset: 'brief', preset_version: 1, model: 'acme/chat' }] };
  expect(await dataOf('POST', `${RERUNS}/estimate`, plan)).toMatchObject({ targets: [{ model: 'acme/other' }, {}] });
  const { id } = await begin({ ...plan, start: false });
  await save({ temperature: 0.9 });
  await dataOf('POST', `${RERUNS}/${id}/resume`, {});
  const report = await ended(id);
  expect(report.results).toMatchObject([
    { model: 'acme/other', preset: 'brief', preset_version: 1, done: 1 },
    { model: 'acme/chat', preset: 'brief', preset_version: 1, done: 1 },
  ]);
  const { sent } = upstream.exchanges.find(({ sent: { model } }) => model === 'other') ?? {};
  expect(sent).toMatchObject({
    temperature: 0.1,
    top_p: 0.5,
    tools: [lookUp('new')],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'one' },
    ],
  });
  expect([sent?.['max_tokens'], sent?.['max_completion_tokens']].filter(Boolean)).toEqual([9]);
  expect(store.appended.map(({ record }) => record.generation.preset_id)).toEqual([null, preset.id, preset.id]);
  for (const [target, field] of [
    [{ preset: 'none' }, 'targets.0.preset'],
    [{ preset: 'brief' }, 'targets.0.model'],
    [{ preset: 'brief', preset_version: 7, model: 'acme/chat' }, 'targets.0.preset'],
    [{ preset_version: 1, model: 'acme/chat' }, 'targets.0.preset_version'],
    [{}, 'targets.0.model'],
  ] as const) {
    const refused = await call('POST', `${RERUNS}/estimate`, { set, targets: [target] });
    expect([refused.status, JSON.stringify(jsonOf(refused))]).toEqual([400, expect.stringContaining(field)]);
  }
});

test('puts parameters and the system prompt of a target over the request', async () => {
  const { ask, begin, ended, upstream } = prepare();
  const id = await ask('one', {
    temperature: 1,
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'one' },
    ],
  });
  const targets = [
    {
      model: 'acme/other',
      provider: 'acme',
      parameters: { temperature: 0, max_tokens: 7 },
      system: { append: 'Be short.' },
    },
    { model: 'acme/other', parameters: { temperature: null }, system: { replace: 'Be rude.' } },
  ];
  await ended((await begin({ set: { generation_ids: [id] }, targets, concurrency: 1 })).id);
  const [, first, second] = upstream.exchanges.map(({ sent }) => sent);
  expect(first).toMatchObject({ temperature: 0, max_tokens: 7 });
  expect(first?.['messages']).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'one' },
  ]);
  expect(second).not.toHaveProperty('temperature');
  expect(second?.['messages']).toEqual([
    { role: 'system', content: 'Be rude.' },
    { role: 'user', content: 'one' },
  ]);
});

test('resolves a filter once, when the rerun is created', async () => {
  const { ask, begin, ended } = prepare();
  for (const content of ['one', 'two', 'three']) await ask(content);
  await ask('other', { model: 'acme/other' });
  const { id } = await begin({ set: { filter: { where: 'model:acme/chat' }, limit: 2 }, start: false });
  await ask('four');
  await expect(ended(id)).resolves.toMatchObject({ state: 'ready', items: 2, counts: { total: 2, pending: 2 } });
});

test('takes uploaded requests, and compares them with the completions that came with them', async () => {
  const { begin, ended, pairsOf } = prepare(({ messages }) => messages.at(-1)?.content ?? '');
  const line = (content: string, text?: string): string =>
    JSON.stringify({
      request: { body: { messages: [{ role: 'user', content }], max_tokens: 50 } },
      ...(text !== undefined && { completion: { text } }),
    });
  const ndjson = [line('{"a":1,"b":2}', '{"b":2, "a":1}'), line('{"a":1}', '{"a":2}'), line('{}')].join('\n');
  const { id } = await begin({ set: { ndjson }, judges: [{ type: 'json_equal' }] });
  const { results } = await ended(id);
  expect(results[0]?.outcomes).toMatchObject({ judged: 2, tie: { count: 1 }, loss: { count: 1 } });
  expect((await pairsOf(id)).map(({ verdict }) => verdict)).toEqual(['tie', 'loss', null]);
});

test('pauses before a call that may not fit under the cap, and goes on with a higher one', async () => {
  const { ask, begin, ended, dataOf } = prepare();
  const ids = [await ask('one'), await ask('two'), await ask('six')];
  const set = { generation_ids: ids };
  const { worst_usd: worst } = await dataOf<RerunEstimate>('POST', `${RERUNS}/estimate`, { set, targets: TARGETS });
  // Room for the worst case of one call, and for little more.
  const max = (worst ?? 0) / 3 + 0.00002;
  const { id } = await begin({ set, max_cost_usd: max });
  const paused = await ended(id);
  expect(paused.state).toBe('paused');
  expect(paused.reason).toMatch(/^The next call may cost up to \$[\d.]+; \$[\d.]+ of max_cost_usd \$[\d.]+ is spent/);
  expect(paused.spent_usd).toBeLessThanOrEqual(max);
  expect(paused.counts.done).toBeGreaterThan(0);
  expect(paused.counts.done).toBeLessThan(3);
  await dataOf('POST', `${RERUNS}/${id}/resume`, { max_cost_usd: 0.1 });
  await expect(ended(id)).resolves.toMatchObject({ state: 'done', counts: { done: 3 } });
});

test('counts a verdict of a model only if it holds in both orders, and shows what the judge has cost', async () => {
  const speak = (sent: EchoedRequest): string => {
    if (sent.model !== 'judge') return say(sent);
    const shown = sent.messages.at(-1)?.content ?? '';
    const isForward = shown.indexOf('chat: ') < shown.indexOf('other: ');
    // It always prefers the first for "place", and always that of the other model for "better".
    if (shown.includes('place')) return 'VERDICT: A';
    return `I looked at A. VERDICT: ${isForward ? 'B' : 'A'}`;
  };
  const { ask, begin, ended, pairsOf, upstream } = prepare(speak);
  const ids = [await ask('better'), await ask('place')];
  const judges = [{ type: 'model', model: 'acme/judge', rubric: 'Which is better?' }];
  const { id } = await begin({ set: { generation_ids: ids }, judges });
  const report = await ended(id);
  expect((await pairsOf(id)).map(({ verdict }) => verdict)).toEqual(['win', 'tie']);
  expect(report.results[0]?.judges).toEqual([{ judge: 'model acme/judge', win: 1, tie: 1, loss: 0 }]);
  expect(report.judge_cost_usd).toBeGreaterThan(0);
  expect(report.spent_usd).toBeCloseTo((report.results[0]?.figures.cost_usd ?? 0) + report.judge_cost_usd, 12);
  const shown = upstream.exchanges.flatMap(({ sent }) => (sent['model'] === 'judge' ? JSON.stringify(sent) : []));
  expect(shown).toHaveLength(4);
  expect(shown.join()).not.toContain('acme/other');
});

test('a judge that fails gives no verdict, and takes nothing from the figures and the other verdicts', async () => {
  const { ask, begin, ended, pairsOf, dataOf, store } = prepare((sent) => (sent.model === 'judge' ? null : say(sent)));
  const judges = [{ type: 'length' }, { type: 'model', model: 'acme/judge', rubric: 'Which is better?' }];
  const { id } = await begin({ set: { generation_ids: [await ask('one')] }, judges });
  const live = await ended(id);
  expect(live).toMatchObject({ state: 'done', counts: { done: 1, failed: 0 } });
  expect(live.results[0]).toMatchObject({ errors: 0, outcomes: { judged: 1, tie: { count: 1 } } });
  expect(live.results[0]?.figures.cost_usd).toBeGreaterThan(0);
  const before = await pairsOf(id);
  expect(before[0]?.verdicts).toMatchObject([
    { judge: 'length', verdict: 'tie' },
    { judge: 'model acme/judge', verdict: null, note: expect.stringContaining('It does not feel like it') },
  ]);
  // The process dies after the call of the judge was recorded, and another one goes on.
  for (const { id: row } of await store.reruns.list()) {
    await store.reruns.update(row, (latest) => {
      if (latest.kind === 'rerun') return { ...latest, state: 'paused' };
      return latest.kind === 'item' ? { ...latest, state: 'running', figures: null, verdicts: [] } : latest;
    });
  }
  await dataOf('POST', `${RERUNS}/${id}/resume`, {});
  expect(await ended(id)).toEqual(live);
  expect(await pairsOf(id)).toEqual(before);
});

test('sends neither the request nor its judging to a provider that the caller has excluded', async () => {
  const at = (provider: string, name: string): ModelDefinition => ({
    id: `${provider}/${name}`,
    context_length: 4000,
    endpoints: [{ provider, providerModel: name, pricing: { prompt: '0.000001', completion: '0.000001' } }],
  });
  const upstream = createEchoTransport(say);
  const providers = [true, false].map((isKind) =>
    createOpenAiProvider({
      slug: isKind ? 'kind' : 'nosy',
      name: isKind ? 'Kind' : 'Nosy',
      baseUrl: `https://${isKind ? 'kind' : 'nosy'}.example/v1`,
      dataPolicy: { training: !isKind, retainsPrompts: !isKind },
      transport: upstream,
    }),
  );
  const { ask, begin, ended, pairsOf } = prepare(say, {
    providers,
    models: [at('kind', 'chat'), at('kind', 'other'), at('nosy', 'other'), at('nosy', 'judge')],
  });
  const id = await ask('one', { model: 'kind/chat', provider: { data_collection: 'deny', zdr: true } });
  const judges = [{ type: 'model', model: 'nosy/judge', rubric: 'Which is better?' }];
  const targets = [{ model: 'kind/other' }, { model: 'nosy/other' }];
  const rerun = await begin({ set: { generation_ids: [id] }, targets, judges });
  expect((await ended(rerun.id)).results).toMatchObject([{ done: 1 }, { done: 0, errors: 1 }]);
  const [pair] = await pairsOf(rerun.id);
  expect(pair?.verdicts).toMatchObject([{ verdict: null, note: expect.stringMatching(/nosy \(zdr\)/) }]);
  expect(upstream.exchanges.map(({ request: { url } }) => new URL(url).host)).toEqual(['kind.example', 'kind.example']);
});

test('refuses a judge whose cost has no bound, before anything is paid for', async () => {
  const dear = { id: 'acme/unpriced', endpoints: [{ provider: 'acme', providerModel: 'unpriced' }] };
  const { ask, call, upstream } = prepare(say, { models: [...ECHO_MODELS, dear] });
  const judges = [{ type: 'model', model: 'acme/unpriced', rubric: 'Which is better?' }];
  const plan = { set: { generation_ids: [await ask('one')] }, targets: TARGETS, judges };
  for (const refused of [
    await call('POST', `${RERUNS}/estimate`, plan),
    await call('POST', RERUNS, { ...plan, max_cost_usd: 1 }),
  ]) {
    expect(refused.status).toBe(400);
    expect(JSON.stringify(jsonOf(refused))).toMatch(/judges\.0\.model.* has no bound: its endpoints need prices/);
  }
  expect(upstream.exchanges).toHaveLength(1);
});

test('refuses a payer whose completions are not stored, before anything is paid for', async () => {
  const refusalsOf = async ({ ask, call }: ReturnType<typeof prepare>): Promise<unknown[]> => {
    const plan = { set: { generation_ids: [await ask('one')] }, targets: TARGETS };
    const refused = [
      await call('POST', `${RERUNS}/estimate`, plan),
      await call('POST', RERUNS, { ...plan, max_cost_usd: 1 }),
    ];
    return refused.map((response) => [response.status, JSON.stringify(jsonOf(response))]);
  };
  const twice = (words: RegExp): unknown[] => Array.from({ length: 2 }, () => [400, expect.stringMatching(words)]);
  const silent = prepare(say, { logging: { inputOutput: false } });
  expect(await refusalsOf(silent)).toEqual(twice(/this gateway stores none: set logging\.inputOutput to true/));
  const shared = prepare();
  const set = (body: object) => shared.call('PATCH', `/api/v1/workspaces/${DEFAULT_WORKSPACE_ID}`, body);
  expect((await set({ io_logging_sampling_rate: 0.5 })).status).toBe(200);
  expect(await refusalsOf(shared)).toEqual(
    twice(/"Default.*share of 0\.5 of them: set its io_logging_sampling_rate to 1/),
  );
  expect((await set({ is_observability_io_logging_enabled: false })).status).toBe(200);
  expect(await refusalsOf(shared)).toEqual(twice(/stores none: set its is_observability_io_logging_enabled to true/));
  expect(shared.upstream.exchanges).toHaveLength(2);
});

test.each(['acme/other:online', 'acme/other:online:nitro', 'service/auto:online'])(
  'refuses %s, whose search of the web no cap can foresee, as a target and as a judge',
  async (model) => {
    const { ask, call } = prepare(say, { web: { searchEngine: { name: 'none', search: () => Promise.resolve([]) } } });
    const set = { generation_ids: [await ask('one')] };
    const judges = [{ type: 'model', model, rubric: 'Which is better?' }];
    for (const [path, plan] of [
      ['targets.0.model', { set, targets: [{ model }] }],
      ['judges.0.model', { set, targets: TARGETS, judges }],
    ] as const) {
      const refused = await call('POST', `${RERUNS}/estimate`, plan);
      expect(refused.status).toBe(400);
      expect(JSON.stringify(jsonOf(refused))).toContain(`${path}: must not have the variant :online`);
    }
  },
);

test.each([
  ['messages', { max_tokens: 50, system: 'Be kind.', messages: [{ role: 'user', content: 'one' }] }],
  ['responses', { max_output_tokens: 50, instructions: 'Be kind.', input: 'one' }],
  ['ollama-generate', { system: 'Be kind.', prompt: 'one', options: { num_predict: 50 } }],
  [
    'gemini',
    {
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [{ role: 'user', parts: [{ text: 'one' }] }],
      generationConfig: { maxOutputTokens: 50 },
    },
  ],
])('shows a judge all that the model was told by a request of the format %s', async (format, body) => {
  const { begin, ended, upstream } = prepare((sent) => (sent.model === 'judge' ? 'VERDICT: A' : 'new'));
  const line = { request: { format, body }, completion: { text: 'old' } };
  const judges = [{ type: 'model', model: 'acme/judge', rubric: 'Which is better?' }];
  const { id } = await begin({ set: { ndjson: JSON.stringify(line) }, judges });
  await ended(id);
  const shown = upstream.exchanges.find(({ sent }) => sent['model'] === 'judge')?.sent['messages'];
  expect(JSON.stringify(shown)).toMatch(/<request>.*Be kind\..*one.*<\/request>/);
});

test('asks no judge about completions that are the same', async () => {
  const { ask, begin, ended, upstream } = prepare(({ model }) => (model === 'judge' ? 'VERDICT: A' : 'the same'));
  const id = await ask('one');
  const judges = [{ type: 'model', model: 'acme/judge', rubric: 'Which is better?' }];
  const { results } = await ended((await begin({ set: { generation_ids: [id] }, judges })).id);
  expect(results[0]?.outcomes).toMatchObject({ tie: { count: 1 } });
  expect(upstream.exchanges.map(({ sent }) => sent['model'])).toEqual(['chat', 'other']);
});

test('has a function of the embedder judge', async () => {
  const rerunJudges: GatewayOptions['rerunJudges'] = {
    louder: ({ completion }) => ({ verdict: completion.text?.includes('!') === true ? 'win' : 'tie', note: 'heard' }),
  };
  const { ask, begin, ended, call } = prepare(say, { rerunJudges });
  const ids = [await ask('one!'), await ask('two')];
  const { id } = await begin({ set: { generation_ids: ids }, judges: [{ type: 'custom', name: 'louder' }] });
  expect((await ended(id)).results[0]?.outcomes).toMatchObject({ win: { count: 1 }, tie: { count: 1 } });
  const refused = await call('POST', RERUNS, {
    set: { generation_ids: ids },
    targets: TARGETS,
    max_cost_usd: 1,
    judges: [{ type: 'custom', name: 'softer' }],
  });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('this gateway has no judge \\\\\\"softer');
});

test('lets a person judge an item, in the place of its judges', async () => {
  const { ask, begin, ended, pairsOf, dataOf } = prepare();
  const { id } = await begin({ set: { generation_ids: [await ask('one')] }, judges: [{ type: 'length' }] });
  await ended(id);
  const [pair] = await pairsOf(id);
  const path = `${RERUNS}/${id}/items/${pair?.item}`;
  await expect(dataOf('PUT', path, { verdict: 'loss', note: 'Wrong' })).resolves.toMatchObject({
    verdict: 'loss',
    person: { verdict: 'loss', note: 'Wrong', by: 'admin' },
  });
  expect((await ended(id)).results[0]?.outcomes).toMatchObject({ loss: { count: 1 }, tie: { count: 0 } });
  await expect(dataOf('PUT', path, { verdict: null })).resolves.toMatchObject({ verdict: 'tie', person: null });
});

test('makes its calls as an API key, whose budget pauses it', async () => {
  const { ask, begin, ended, call, pairsOf, store } = prepare();
  const made = await call('POST', '/api/v1/keys', { name: 'poor', limit: 0.0007 });
  const { hash } = jsonOf(made)['data'] as { readonly hash: string };
  const ids = [await ask('one'), await ask('two'), await ask('six')];
  const { id } = await begin({ set: { generation_ids: ids }, run_as_key: hash, concurrency: 1 });
  const report = await ended(id);
  expect(report).toMatchObject({ state: 'paused', reason: expect.stringMatching(/^Key limit exceeded/) });
  expect(report.counts.done).toBeGreaterThan(0);
  const [pair] = await pairsOf(id);
  expect(await store.generations.get(pair?.generation_id ?? '')).toMatchObject({
    principalId: hash,
    generation: { session_id: id },
  });
  const refused = await call('POST', RERUNS, {
    set: { generation_ids: ids },
    targets: TARGETS,
    max_cost_usd: 1,
    run_as_key: 'x',
  });
  expect(JSON.stringify(refused.body)).toContain('run_as_key: must be the hash of a stored API key');
});

test('pauses where the budget of a workspace is used up, too', async () => {
  const { ask, begin, ended, call } = prepare();
  const ids = [await ask('one'), await ask('two'), await ask('six')];
  const budget = `/api/v1/workspaces/${DEFAULT_WORKSPACE_ID}/budgets/daily`;
  expect((await call('PUT', budget, { limit_usd: 0.00072 })).status).toBe(200);
  const report = await ended((await begin({ set: { generation_ids: ids }, concurrency: 1 })).id);
  expect(report).toMatchObject({ state: 'paused', reason: expect.stringMatching(/^Workspace daily budget/) });
  expect(report.counts.failed).toBe(0);
});

test.each([
  ['/api/v1/messages', { max_tokens: 50, system: 'Be kind.', messages: [{ role: 'user', content: 'one' }] }],
  ['/api/v1/responses', { max_output_tokens: 50, instructions: 'Be kind.', input: 'one' }],
])('runs a call of %s again in its own format', async (path, body) => {
  const { post, begin, ended, pairsOf, upstream } = prepare();
  const original = await post(path, { model: 'acme/chat', ...body });
  const id = String(original.headers['x-generation-id']);
  const targets = [{ model: 'acme/other', system: { append: 'Be short.' } }];
  await ended((await begin({ set: { generation_ids: [id] }, targets })).id);
  const [first, second] = upstream.exchanges.map(({ sent }) => JSON.stringify(sent['messages']));
  expect(first).toContain('Be kind.');
  expect(second).toContain('Be kind.\\n\\nBe short.');
  const { id: again } = await begin({ set: { generation_ids: [id] } });
  await ended(again);
  expect((await pairsOf(again)).map(({ original: before, completion }) => [before?.text, completion?.text])).toEqual([
    ['chat: one', 'other: one'],
  ]);
});

test('waits for a rate limit, and makes the call then', async () => {
  const rules = [{ key: '*', model: 'acme/other', requestsPerMinute: 100, tokensPerMinute: null }];
  let taken = 0;
  const look = () => Promise.resolve({ isExceeded: false, resetInMs: 2000 });
  // The originals were calls to another model.
  const take = () => Promise.resolve({ isExceeded: (taken += 1) === 1, resetInMs: 2000 });
  const createCounter: CreateRateCounter = () => ({ look, take, add: () => Promise.resolve() });
  const { ask, begin, dataOf, platform } = prepare(say, { rateLimits: { rules, createCounter } });
  const ids = [await ask('one'), await ask('two')];
  const { id } = await begin({ set: { generation_ids: ids }, concurrency: 1 });
  for (let turn = 0; turn < 50; turn += 1) await platform.nextTurn?.();
  expect(await dataOf('GET', `${RERUNS}/${id}`)).toMatchObject({ state: 'running', counts: { done: 0, failed: 0 } });
  await platform.advance(5000);
  expect(await dataOf('GET', `${RERUNS}/${id}`)).toMatchObject({ state: 'done', counts: { done: 2 } });
});

test('estimates items, tokens and costs without a call', async () => {
  const { ask, dataOf, upstream } = prepare();
  const ids = [await ask('one'), await ask('two')];
  const estimate = await dataOf<RerunEstimate>('POST', `${RERUNS}/estimate`, {
    set: { generation_ids: ids },
    targets: [{ model: 'acme/chat' }, { model: 'acme/other' }],
  });
  expect(estimate).toMatchObject({ items: 2, without_request: 0 });
  expect(estimate.prompt_tokens).toBeGreaterThan(0);
  const [chat, other] = estimate.targets;
  expect(other?.typical_usd).toBeCloseTo(2 * (chat?.typical_usd ?? 0), 12);
  expect(chat?.worst_usd).toBeGreaterThan(chat?.typical_usd ?? Number.POSITIVE_INFINITY);
  expect(upstream.exchanges).toHaveLength(2);
});

test('says why an item has failed, and leaves tools of the server out', async () => {
  const { ask, begin, ended, upstream, store } = prepare();
  const [gone, tools] = [await ask('one'), await ask('two', { tools: [{ type: 'service:datetime' }] })];
  await store.generations.deleteContent(gone);
  const { id } = await begin({ set: { generation_ids: [gone, tools] } });
  const { results } = await ended(id);
  expect(results[0]).toMatchObject({ done: 1, errors: 1 });
  expect(results[0]?.error_reasons).toEqual([
    { reason: `The request of generation ${gone} is not stored, or not any more`, count: 1 },
  ]);
  expect(upstream.latest().sent).not.toHaveProperty('tools');
});

test('exports the pairs, and deletes a rerun with them', async () => {
  const { ask, begin, ended, call, dataOf, store } = prepare(({ messages }) => messages.at(-1)?.content ?? '');
  const { id } = await begin({ set: { generation_ids: [await ask('=1, "two"')] } });
  await ended(id);
  const textOf = async (format: string): Promise<string> => {
    const { body } = await call('GET', `${RERUNS}/${id}/export?format=${format}`);
    let text = '';
    for await (const piece of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(piece);
    return text;
  };
  const [head, row] = (await textOf('csv')).split('\n');
  expect(head).toContain('original,completion');
  // A spreadsheet would take it for a formula.
  expect(row).toContain(`,"'=1, ""two"""`);
  expect(JSON.parse(await textOf('ndjson'))).toMatchObject({ completion: { text: '=1, "two"' } });
  await dataOf('GET', RERUNS);
  expect((await call('DELETE', `${RERUNS}/${id}`)).status).toBe(200);
  expect(await store.reruns.list()).toEqual([]);
  expect((await call('GET', `${RERUNS}/${id}`)).status).toBe(404);
});

test('cancels a rerun for good', async () => {
  const { ask, begin, call, dataOf } = prepare();
  const { id } = await begin({ set: { generation_ids: [await ask('one')] }, start: false });
  await expect(dataOf('POST', `${RERUNS}/${id}/cancel`)).resolves.toMatchObject({ state: 'cancelled' });
  const resumed = await call('POST', `${RERUNS}/${id}/resume`, {});
  expect(resumed.status).toBe(409);
  expect(JSON.stringify(resumed.body)).toContain('only one that is ready or paused can be resumed');
});
