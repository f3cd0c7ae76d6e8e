import { expect, test } from 'vitest';

import { toTargetRequest } from '../../../packages/core/src/reruns/rerun-request.ts';
import { settle } from '../../support/async/virtual-platform.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY, readFrames } from '../../support/gateways/core-gateway.ts';
import { guardKey } from '../../support/gateways/guard-key.ts';
import { chunkings, toEventPieces } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport, createScriptedTransport } from '../../support/upstreams/scripted-transport.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const WHOLE = JSON.stringify({
  choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
  usage: USAGE,
});
const EVENTS = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
  { choices: [], usage: USAGE },
]);
const MANAGER = { authorization: `Bearer ${MANAGEMENT_KEY}` };
const CHAT = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hi' }] };

const whole = () => createReplayTransport({ headers: JSON_TYPE, pieces: [WHOLE] });
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test.each(chunkings(EVENTS))(
  'a stream ends with the reason, the counts and the times of its call (%s)',
  async (_name, pieces) => {
    const core = createCoreGateway(createReplayTransport({ pieces }));
    const response = await core.post('/api/chat', CHAT);
    expect(response.headers['content-type']).toBe('application/x-ndjson');
    const lines = linesOf(await readFrames(response).rest());
    expect(lines.map(({ message }) => (message as { content: string }).content).join('')).toBe('Hello');
    const { generation } = core.store.appended[0]?.record ?? {};
    expect(lines.at(-1)).toMatchObject({
      model: 'acme/chat',
      done: true,
      done_reason: 'length',
      total_duration: (generation?.generation_time ?? -1) * 1_000_000,
      prompt_eval_count: 3,
      eval_count: 2,
    });
  },
);

test('a sign of life is white space, which belongs to the next line', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = core.post('/api/chat', CHAT);
  await core.platform.advance(1100);
  const reader = readFrames(await pending);
  expect(await reader.next()).toBe(' ');
  const exchange = transport.latest();
  exchange.respond(200, { 'content-type': 'text/event-stream' });
  for (const event of EVENTS) exchange.push(event);
  exchange.end();
  await settle();
  const [first, ...others] = ` ${await reader.rest()}`.trimEnd().split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({ message: { content: 'Hel' }, done: false });
  // All of the time was spent up to the first piece.
  const { record } = core.store.appended[0] ?? {};
  const spent = (record?.generation.generation_time ?? 0) * 1_000_000;
  expect(spent).toBeGreaterThanOrEqual(1_100_000_000);
  expect(JSON.parse(others.at(-1) ?? '')).toMatchObject({ total_duration: spent, prompt_eval_duration: spent });
});

test('a failure after a sign of life is the last line', async () => {
  const transport = createScriptedTransport();
  const core = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = core.post('/api/generate', { model: 'acme/other', prompt: 'Hi' });
  await core.platform.advance(1100);
  const reader = readFrames(await pending);
  await reader.next();
  for (const exchange of transport.exchanges) {
    exchange.respond(429);
    exchange.end();
    await settle();
  }
  expect(linesOf(await reader.rest())).toEqual([{ error: expect.any(String) as string }]);
});

test('logarithms of probabilities come with their text, whole and streamed', async () => {
  const logprobs = { content: [{ token: 'Hel', logprob: -0.1, bytes: null, top_logprobs: [] }] };
  const choice = { index: 0, message: { content: 'Hel' }, finish_reason: 'stop', logprobs };
  const body = { ...CHAT, logprobs: true, top_logprobs: 1 };
  const upstream = createReplayTransport({ headers: JSON_TYPE, pieces: [JSON.stringify({ choices: [choice] })] });
  const once = jsonOf(await createCoreGateway(upstream).post('/api/chat', { ...body, stream: false }));
  expect(upstream.latest().sent).toMatchObject({ logprobs: true, top_logprobs: 1 });
  const event = { choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: 'stop', logprobs }] };
  const core = createCoreGateway(createReplayTransport({ pieces: toEventPieces([event]) }));
  const [first] = linesOf(await readFrames(await core.post('/api/chat', body)).rest());
  for (const said of [once, first])
    expect(said).toMatchObject({ message: { content: 'Hel' }, logprobs: logprobs.content });
});

test('sends the options that a model elsewhere knows, and nothing of the others', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const known = { temperature: 0.5, top_p: 0.9, seed: 7, stop: 'END', presence_penalty: 0.5, frequency_penalty: 1 };
  const options = { ...known, num_predict: 9, num_ctx: 8192, num_gpu: 1, mirostat: 0 };
  await core.post('/api/chat', { ...CHAT, stream: false, options, keep_alive: '5m', unknown: true });
  const { messages } = CHAT;
  expect(upstream.latest().sent).toEqual({ model: 'chat-1', messages, ...known, max_tokens: 9 });
  await core.post('/api/chat', { ...CHAT, stream: false, options: { num_predict: -1 } });
  expect(upstream.latest().sent).toEqual({ model: 'chat-1', messages });
});

test('a result without an id belongs to the first call of its tool that has none yet, and one of no call is refused', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const call = (name: string) => ({ function: { name, arguments: { at: 1 } } });
  const result = (tool_name: string, content: string) => ({ role: 'tool', tool_name, content });
  const calls = [call('time'), call('weather'), call('time')];
  const messages = [
    ...CHAT.messages,
    { role: 'assistant', content: '', tool_calls: calls },
    result('weather', 'sunny'),
    result('time', 'noon'),
    { role: 'tool', content: 'night' },
  ];
  expect((await core.post('/api/chat', { ...CHAT, stream: false, messages })).status).toBe(200);
  const sent = upstream.latest().sent['messages'] as { tool_call_id?: string; content: string }[];
  expect(sent.slice(2).map(({ tool_call_id: id, content }) => [id, content])).toEqual([
    ['call_2', 'sunny'],
    ['call_1', 'noon'],
    ['call_3', 'night'],
  ]);
  const more = await core.post('/api/chat', { ...CHAT, messages: [...messages, result('time', 'dawn')] });
  expect([more.status, jsonOf(more)]).toEqual([400, { error: 'messages.5: is the result of no tool call before it' }]);
});

test('a used-up budget is 402, in the form of Ollama', async () => {
  const core = createCoreGateway(whole());
  const { key } = jsonOf(await core.post('/api/v1/keys', { name: 'small', limit: 0.00001 }, { headers: MANAGER }));
  const own = { headers: { authorization: `Bearer ${String(key)}` } };
  for (const [path, body] of [
    ['/api/chat', CHAT],
    ['/api/generate', { model: 'acme/chat', prompt: 'Hi' }],
  ] as const) {
    const response = await core.post(path, { ...body, options: { num_predict: 200 } }, own);
    expect([response.status, jsonOf(response)]).toEqual([402, { error: expect.any(String) as string }]);
  }
});

test('guardrails block and redact what comes in this form, also in a prompt', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const blocked = await guardKey(core, { content_filters: [{ pattern: 'purple', action: 'block' }] });
  const refused = await core.post(
    '/api/generate',
    { model: 'acme/chat', prompt: 'purple' },
    { headers: blocked.headers },
  );
  expect([refused.status, jsonOf(refused)]).toEqual([403, { error: expect.stringContaining('blocked') as string }]);
  const { headers } = await guardKey(core, { content_filters: [{ pattern: 'secret', action: 'redact' }] });
  const messages = [
    { role: 'system', content: 'a secret' },
    { role: 'user', content: 'the secret' },
  ];
  await core.post('/api/chat', { model: 'acme/chat', messages, stream: false }, { headers });
  expect(JSON.stringify(upstream.latest().sent)).not.toContain('secret');
});

test('lists and shows only the models that a guardrail leaves', async () => {
  const core = createCoreGateway(whole());
  const { key, headers } = await guardKey(core, { allowed_models: ['acme/chat'] });
  const { models } = jsonOf(await core.get('/api/tags', key)) as { models: { name: string }[] };
  expect(models.map(({ name }) => name)).toEqual(['acme/chat']);
  const shown = await core.post('/api/show', { model: 'acme/other' }, { headers });
  expect([shown.status, jsonOf(shown)]).toEqual([404, { error: 'There is no model acme/other' }]);
});

test('reads a body that is declared as another type, as curl does it, only beside a key in a header', async () => {
  const core = createCoreGateway(whole());
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = { ...CHAT, stream: false };
  const keyed = await core.post('/api/chat', body, { headers: { authorization: 'Bearer sk-test-api', ...form } });
  expect(keyed.status).toBe(200);
  // A page of another site could make a browser send this with its cookies.
  const principal = { kind: 'api', id: 'u-1', name: 'Ada' } as const;
  const unkeyed = await core.post('/api/chat', body, { headers: form, principal });
  expect([unkeyed.status, jsonOf(unkeyed)]).toEqual([
    415,
    { error: expect.stringContaining('not accepted') as string },
  ]);
});

test.each([
  ['/api/chat', { ...CHAT, options: { temperature: 0.3 } }],
  ['/api/generate', { model: 'acme/chat', prompt: 'Hi', system: 'Be brief.' }],
])('sends a stored request of %s again, as it was and with another model, whole', async (path, body) => {
  const upstream = createReplayTransport(
    { pieces: EVENTS },
    { pieces: EVENTS },
    { headers: JSON_TYPE, pieces: [WHOLE] },
  );
  const core = createCoreGateway(upstream);
  const first = await core.post(path, body);
  const said = await readFrames(first).rest();
  const resend = (change: object) =>
    core.post(`/admin/v1/generations/${first.headers['x-generation-id']}/resend`, change, { headers: MANAGER });
  const again = await resend({});
  expect(again.headers['content-type']).toBe('application/x-ndjson');
  expect(linesOf(await readFrames(again).rest()).length).toBe(linesOf(said).length);
  expect(upstream.exchanges[1]?.request.body).toBe(upstream.exchanges[0]?.request.body);
  const other = await resend({ model: 'acme/other:latest', stream: false });
  expect(jsonOf(other)).toMatchObject({ model: 'acme/other', done: true, done_reason: 'stop' });
  const content = core.store.appended.map((one) => one.content?.request?.format);
  expect(content).toEqual(Array(3).fill(path === '/api/chat' ? 'ollama-chat' : 'ollama-generate'));
});

test('is run again with the parameters and the system prompt of a target', async () => {
  const upstream = whole();
  const core = createCoreGateway(upstream);
  const target = { model: 'acme/other', parameters: { temperature: 0 }, system: { replace: 'Be kind.' } };
  const options = { temperature: 0.9, seed: 7 };
  const stored = [
    ['/api/chat', { format: 'ollama-chat', body: { ...CHAT, options }, headers: {} }],
    ['/api/generate', { format: 'ollama-generate', body: { prompt: 'Hi', system: 'Be brief.', options }, headers: {} }],
  ] as const;
  for (const [path, request] of stored) {
    expect((await core.post(path, toTargetRequest(request, target).body)).status).toBe(200);
    expect(upstream.latest().sent).toEqual({
      model: 'other-b',
      messages: [{ role: 'system', content: 'Be kind.' }, ...CHAT.messages],
      temperature: 0,
      seed: 7,
    });
  }
});

test('rules for routing know both forms, and explain by them', async () => {
  const rules = [{ name: 'prompts', when: { formats: ['ollama-generate' as const] }, model: 'acme/other' }];
  const core = createCoreGateway(whole(), { account: { routing: { rules } } });
  const call = await core.post('/api/generate', { model: 'acme/chat', prompt: 'Hi', stream: false });
  expect(jsonOf(call)).toMatchObject({ model: 'acme/other' });
  for (const [format, models] of [
    ['ollama-generate', ['acme/other']],
    ['ollama-chat', ['acme/chat']],
  ] as const) {
    const explained = await core.post(`/admin/v1/explain?format=${format}`, CHAT, { headers: MANAGER });
    expect(jsonOf(explained)).toMatchObject({ data: { models } });
  }
});
