import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
} from '../../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { toStoredExchange } from '../../api/stored-response.ts';
import { isInContent } from '../../generations/search.ts';
import { createAnthropicProvider } from '../../providers/anthropic/anthropic-provider.ts';
import { toStoredRerunRequest, toTargetRequest } from '../../reruns/rerun-request.ts';
import { FORMATS } from '../../wire/routing-rules.ts';
import { joinPreset, PRESET_FORMS } from './preset-forms.ts';
import { uniteTools } from './unite-tools.ts';
import { namesPreset } from './use-preset.ts';

const COMPLETION = JSON.stringify({
  id: 'c-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

const admin = { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } };
const HELLO = [{ role: 'user', content: 'Hello' }];

const lookUp = (name: string) => ({
  type: 'function',
  function: { name, description: `Looks up ${name}`, parameters: { type: 'object', properties: {} } },
});

const SAVED = {
  model: 'acme/chat',
  temperature: 0.2,
  max_tokens: 50,
  seed: 7,
  tools: [lookUp('orders')],
  provider: { sort: 'price' },
  messages: [{ role: 'system', content: 'You answer customers.' }, ...HELLO],
  stream: true,
  user: 'someone',
};

function openGateway(options?: Parameters<typeof createCoreGateway>[1]) {
  const upstream = createReplayTransport({ headers: { 'content-type': 'application/json' }, pieces: [COMPLETION] });
  return { upstream, core: createCoreGateway(upstream, options) };
}

/** A gateway with the preset "help". */
async function withPreset(contents: object = SAVED, options?: Parameters<typeof createCoreGateway>[1]) {
  const made = openGateway(options);
  const response = await made.core.post('/api/v1/presets/help/chat/completions', contents);
  expect(response.status).toBe(200);
  return { ...made, preset: (jsonOf(response) as { data: Record<string, unknown> }).data };
}

const say = ({ post }: CoreGateway, path: string, body: object) => post(`/api/v1/${path}`, body);

describe('a call with a preset', () => {
  test.each([
    ['its name in place of a model', { model: '@preset/help' }],
    ['its name behind that of a model', { model: 'acme/other@preset/help' }],
    ['the field of its own', { model: 'acme/other', preset: 'help' }],
    ['the field alone', { preset: 'help' }],
    ['the same name twice', { model: '@preset/help', preset: 'help' }],
  ])('is made by %s', async (_, named) => {
    const { core, upstream, preset } = await withPreset();
    const response = await say(core, 'chat/completions', { ...named, messages: HELLO });
    expect(response.status).toBe(200);
    const isOther = 'model' in named && named.model.startsWith('acme/other');
    expect(upstream.latest().sent).toMatchObject({
      model: isOther ? 'other-b' : 'chat-1',
      temperature: 0.2,
      max_tokens: 50,
      messages: [{ role: 'system', content: 'You answer customers.' }, ...HELLO],
      tools: [lookUp('orders')],
    });
    expect(upstream.latest().sent).not.toHaveProperty('user');
    expect(upstream.latest().sent).not.toHaveProperty('preset');
    const { generation } = core.store.appended[0]?.record ?? {};
    expect(generation).toMatchObject({ preset_id: preset['id'], preset_slug: 'help', preset_version: 1 });
  });

  test('has its own fields first, one by one, and null takes a field of the preset out', async () => {
    const { core, upstream } = await withPreset();
    const own = { temperature: 1, seed: null, max_completion_tokens: 9, provider: { order: ['beta'] } };
    await say(core, 'chat/completions', { preset: 'help', messages: HELLO, ...own });
    const { sent } = upstream.latest();
    expect(sent).toMatchObject({ model: 'chat-b', temperature: 1 });
    expect([sent['max_tokens'] ?? sent['max_completion_tokens'], sent['seed']]).toEqual([9, undefined]);
  });

  test('goes before what the preset says in other words', async () => {
    const { core, preset } = await withPreset({ ...SAVED, reasoning: { effort: 'high' } });
    // What belongs to one call is no part of it.
    const { config } = preset['designated_version'] as { config: object };
    const names = ['max_tokens', 'model', 'provider', 'reasoning', 'seed', 'temperature', 'tools'];
    expect(Object.keys(config).toSorted()).toEqual(names);
    const own = { reasoning_effort: 'low', max_completion_tokens: 9 };
    expect((await say(core, 'chat/completions', { preset: 'help', messages: HELLO, ...own })).status).toBe(200);
    const id = core.store.appended[0]?.record.generation.id ?? '';
    const stored = jsonOf(await core.get(`/admin/v1/generations/${id}/request`, MANAGEMENT_KEY));
    expect(stored).toMatchObject({ data: { body: own } });
    expect(JSON.stringify(stored)).not.toMatch(/"max_tokens":50|"effort":"high"/);
  });

  test.each(['system', 'developer'])('keeps its own %s message in place of the preset’s', async (role) => {
    const { core, upstream } = await withPreset();
    await say(core, 'chat/completions', { preset: 'help', messages: [{ role, content: 'Own' }, ...HELLO] });
    expect(JSON.stringify(upstream.latest().sent['messages'])).not.toContain('You answer customers.');
  });

  test('has the messages of a stored prompt, whose settings go before the preset’s', async () => {
    const { core, upstream } = await withPreset();
    const prompt = { id: 'greet', name: 'Greet', messages: HELLO, parameters: { temperature: 0.7 } };
    await core.post('/admin/v1/prompts', prompt, admin);
    const response = await say(core, 'chat/completions', { model: '@preset/help', prompt: { id: 'greet' } });
    expect(response.status).toBe(200);
    expect(upstream.latest().sent).toMatchObject({ temperature: 0.7, max_tokens: 50, model: 'chat-1' });
  });

  test.each([
    ['messages', { messages: HELLO, max_tokens: 9 }, { max_tokens: 9 }],
    ['responses', { input: 'Hello' }, { max_tokens: 50 }],
  ])('has all that its format has a place for at /%s', async (path, own, expected) => {
    const { core, upstream, preset } = await withPreset();
    const response = await say(core, path, { model: '@preset/help', ...own });
    expect(response.status).toBe(200);
    expect(upstream.latest().sent).toMatchObject({
      temperature: 0.2,
      messages: [{ role: 'system', content: 'You answer customers.' }, { role: 'user' }],
      tools: [lookUp('orders')],
      ...expected,
    });
    expect(core.store.appended[0]?.record.generation).toMatchObject({ preset_id: preset['id'] });
  });

  test('begins the text of /completions with the system prompt', async () => {
    const { core, upstream } = await withPreset();
    expect((await say(core, 'completions', { preset: 'help', prompt: 'Hello' })).status).toBe(200);
    expect(upstream.latest().sent).toMatchObject({
      temperature: 0.2,
      messages: [{ role: 'user', content: 'You answer customers.\n\nHello' }],
    });
  });

  test.each([
    ['chat/completions', { messages: HELLO }, { error: { code: 400 } }],
    ['messages', { messages: HELLO, max_tokens: 9 }, { type: 'error', error: { type: 'invalid_request_error' } }],
    ['responses', { input: 'Hello' }, { error: { code: 400 } }],
    ['completions', { prompt: 'Hello' }, { error: { code: 400 } }],
  ])('is refused at /%s where the preset is not there or not active', async (path, own, error) => {
    const { core, upstream } = await withPreset();
    const refused = async (named: object, reason: string): Promise<void> => {
      const response = await say(core, path, { ...own, ...named });
      expect([response.status, jsonOf(response)]).toMatchObject([400, error]);
      expect(JSON.stringify(jsonOf(response))).toContain(reason);
    };
    await refused({ model: '@preset/none' }, 'model: there is no preset');
    await refused({ preset: 'no such slug' }, 'preset: there is no preset');
    await refused({ model: '@preset/help', preset: 'other' }, 'must not differ');
    await core.post('/admin/v1/presets/help', { status: 'disabled' }, { ...admin, method: 'PATCH' });
    await refused({ model: '@preset/help' }, 'is disabled');
    expect(upstream.exchanges).toEqual([]);
  });

  test('is refused in formats that have no presets, with those that have', async () => {
    const { core } = await withPreset();
    const response = await core.post('/v1beta/models/acme%2Fchat:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      preset: 'help',
    });
    expect(response.status).toBe(400);
    expect(JSON.stringify(jsonOf(response))).toContain('presets are named in');
  });

  test('is of the workspace of its key', async () => {
    const { core } = await withPreset();
    const { data } = jsonOf(await core.post('/api/v1/workspaces', { name: 'w', slug: 'w' }, admin)) as {
      data: { id: string };
    };
    const made = jsonOf(await core.post('/api/v1/keys', { name: 'k', workspace_id: data.id }, admin)) as {
      key: string;
    };
    const other = { headers: { authorization: `Bearer ${made.key}` } };
    const body = { model: '@preset/help', messages: HELLO };
    expect((await core.post('/api/v1/chat/completions', body, other)).status).toBe(400);
    expect(jsonOf(await core.get('/api/v1/presets', made.key))).toEqual({ data: [], total_count: 0 });
    expect((await core.get('/api/v1/presets/help', made.key)).status).toBe(404);
    expect((await core.get('/api/v1/presets?workspace_id=default', made.key)).status).toBe(403);
    await core.post('/api/v1/presets/help/chat/completions', { model: 'acme/other' }, other);
    expect((await core.post('/api/v1/chat/completions', body, other)).status).toBe(200);
    const ofWorkspace = await core.get(`/api/v1/presets/help?workspace_id=${data.id}`, MANAGEMENT_KEY);
    expect(jsonOf(ofWorkspace)).toMatchObject({ data: { workspace_id: data.id } });
  });

  test('is stored as it came in, with the preset and the request that the preset made beside it', async () => {
    const { core, preset } = await withPreset();
    await say(core, 'chat/completions', { preset: 'help', messages: HELLO });
    const id = core.store.appended[0]?.record.generation.id ?? '';
    const stored = jsonOf(await core.get(`/admin/v1/generations/${id}/request`, MANAGEMENT_KEY));
    expect(stored).toMatchObject({
      data: {
        preset_id: preset['id'],
        body: { preset: 'help', messages: HELLO },
        expanded: { model: 'acme/chat', temperature: 0.2, messages: [{ role: 'system' }, { role: 'user' }] },
      },
    });
    expect((stored as { data: { expanded: object } }).data.expanded).not.toHaveProperty('preset');
  });

  test('has the system prompt of the preset filtered like any other text', async () => {
    const { core, upstream } = await withPreset();
    const guardrail = await core.post(
      '/api/v1/guardrails',
      { name: 'g', content_filters: [{ pattern: 'customers', action: 'redact', label: '[PEOPLE]' }] },
      admin,
    );
    const { data } = jsonOf(guardrail) as { data: { id: string } };
    const { data: key, key: text } = jsonOf(await core.post('/api/v1/keys', { name: 'k' }, admin)) as {
      data: { hash: string };
      key: string;
    };
    const assigned = { key_hashes: [key.hash] };
    expect((await core.post(`/api/v1/guardrails/${data.id}/assignments/keys`, assigned, admin)).status).toBe(200);
    const guarded = { headers: { authorization: `Bearer ${text}` } };
    const body = { model: '@preset/help', messages: HELLO };
    expect((await core.post('/api/v1/chat/completions', body, guarded)).status).toBe(200);
    expect(upstream.latest().sent['messages']).toEqual([{ role: 'system', content: 'You answer [PEOPLE].' }, ...HELLO]);
  });

  test('is explained with the settings of the preset', async () => {
    const { core } = await withPreset();
    const explain = async (named: object) =>
      jsonOf(await core.post('/admin/v1/explain', { ...named, messages: HELLO }, admin));
    expect(await explain({ model: '@preset/help' })).toEqual(
      await explain({
        model: 'acme/chat',
        provider: { sort: 'price' },
        max_tokens: 50,
        tools: SAVED.tools,
        temperature: 0.2,
      }),
    );
  });
});

test('a message with a preset goes to an upstream of its format untranslated', async () => {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Hi' }] };
  const whole = { ...message, stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } };
  const transport = createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify(whole)],
  });
  const baseUrl = 'https://acme.example/v1';
  const acme = createAnthropicProvider({ slug: 'acme', name: 'Acme', baseUrl, apiKey: 'k', transport });
  const models = [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'm' }] }];
  const core = createCoreGateway([acme], { models });
  await core.post('/api/v1/presets/help/chat/completions', SAVED);
  const body = { model: '@preset/help', messages: HELLO, max_tokens: 9, context_management: { edits: [] } };
  expect((await say(core, 'messages', body)).status).toBe(200);
  expect(transport.latest().sent).toMatchObject({
    model: 'm',
    max_tokens: 9,
    temperature: 0.2,
    system: 'You answer customers.',
    tools: [{ name: 'orders', input_schema: { type: 'object' } }],
    context_management: { edits: [] },
  });
});

test('a request without a preset is looked at once, and nothing is read or changed for it', () => {
  const names = fc.string({ maxLength: 30 }).filter((name) => !name.includes('@preset/'));
  const fields = fc.record(
    {
      model: fc.option(fc.oneof(names, fc.integer()), { nil: null }),
      preset: fc.oneof(fc.constant(''), fc.constant(null), fc.integer(), fc.object()),
      messages: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), fc.oneof(fields, fc.anything()), (format, body) => {
      const reads: PropertyKey[] = [];
      const isOurs = typeof body === 'object' && body !== null && !Array.isArray(body);
      const watched = isOurs
        ? new Proxy(body, {
            get(target, name, receiver) {
              reads.push(name);
              return Reflect.get(target, name, receiver) as unknown;
            },
          })
        : body;
      const record = body as { readonly preset?: unknown; readonly model?: unknown } | null;
      const isNamed = typeof record?.preset === 'string' && record.preset !== '';
      fc.pre(!isNamed && !String(isOurs ? record?.model : '').includes('@preset/'));
      expect(namesPreset(format, watched)).toBe(false);
      // Its answer is no promise, and it looks at no more than the two fields.
      expect(reads.filter((name) => name !== 'model' && name !== 'preset')).toEqual([]);
    }),
  );
});

test('a call without a preset reads none', async () => {
  const { core } = openGateway();
  let reads = 0;
  const { presets } = core.store;
  Object.assign(core.store, {
    presets: {
      ...presets,
      get(id: string) {
        reads += 1;
        return presets.get(id);
      },
    },
  });
  expect((await core.chat()).status).toBe(200);
  expect(reads).toBe(0);
  await core.chat({ preset: 'help' });
  expect(reads).toBe(1);
});

const server = (type: string, parameters?: object) => ({ type, ...(parameters && { parameters }) });

describe('the tools of a preset and a request', () => {
  test('are united in the order of the preset, with the request’s version in place', () => {
    const mine = { ...lookUp('orders'), cache_control: { type: 'ephemeral' } };
    const ofPreset = [lookUp('orders'), server('service:web_search'), lookUp('stock')];
    const ofRequest = [lookUp('extra'), server('openrouter:web_search', { max_results: 2 }), mine];
    expect(uniteTools(ofPreset, ofRequest)).toEqual([
      mine,
      server('openrouter:web_search', { max_results: 2 }),
      lookUp('stock'),
      lookUp('extra'),
    ]);
  });

  test('tell advisors and subagents apart by their names', () => {
    const [kind, other] = [
      server('openrouter:advisor', { name: 'kind' }),
      server('openrouter:advisor', { name: 'strict' }),
    ];
    const changed = server('openrouter:advisor', { name: 'strict', model: 'acme/chat' });
    expect(uniteTools([kind, other], [changed])).toEqual([kind, changed]);
    expect(uniteTools([server('openrouter:subagent', { name: 'kind' })], [kind])).toHaveLength(2);
  });

  test('lose no tool of the request and have none twice', () => {
    const tool = fc.oneof(
      fc.constantFrom('a', 'b', 'c').map(lookUp),
      fc.constantFrom('service:web_search', 'openrouter:datetime').map((type) => server(type)),
      fc.constantFrom('a', 'b').map((name) => ({ name, input_schema: {} })),
    );
    fc.assert(
      fc.property(fc.uniqueArray(tool, { selector: (one) => JSON.stringify(one) }), fc.array(tool), (preset, own) => {
        const united = uniteTools(preset, own) as unknown[];
        for (const one of own)
          expect(united.filter((other) => other === one)).toHaveLength(own.filter((o) => o === one).length);
        expect(united.length).toBeLessThanOrEqual(preset.length + own.length);
        expect(uniteTools(preset, undefined)).toBe(preset.length === 0 ? undefined : preset);
      }),
    );
  });
});

describe('a preset in another format', () => {
  const config = {
    model: 'acme/chat',
    max_completion_tokens: 9,
    stop: 'END',
    seed: 1,
    reasoning: { effort: 'high' },
    tools: [lookUp('orders'), server('service:datetime')],
    tool_choice: { type: 'function', function: { name: 'orders' } },
    parallel_tool_calls: false,
    service_tier: 'default',
    response_format: { type: 'json_schema', json_schema: { name: 'out', schema: { type: 'object' }, strict: true } },
  };
  const version = { config, system_prompt: 'Be kind.', id: '', preset_id: '', creator_id: '', version: 1 };
  const join = (format: 'messages' | 'responses', request: object) =>
    joinPreset(format, request as Record<string, unknown>, { ...version, created_at: '', updated_at: '' });

  test('has the fields of Anthropic’s form, so that an upstream of it takes it untranslated', () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const own = { name: 'stock', input_schema: { type: 'object' } };
    expect(join('messages', { messages, tools: [own] })).toEqual({
      model: 'acme/chat',
      system: 'Be kind.',
      messages,
      max_tokens: 9,
      stop_sequences: ['END'],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
      tools: [
        { name: 'orders', description: 'Looks up orders', input_schema: { type: 'object', properties: {} } },
        { type: 'service:datetime' },
        own,
      ],
      tool_choice: { type: 'tool', name: 'orders', disable_parallel_tool_use: true },
      service_tier: 'standard_only',
    });
    expect(join('messages', { messages, system: 'Own', max_tokens: 1 })).toMatchObject({
      system: 'Own',
      max_tokens: 1,
    });
  });

  test('has the fields of OpenAI’s newer form', () => {
    expect(join('responses', { input: 'Hi', max_output_tokens: 1 })).toEqual({
      model: 'acme/chat',
      instructions: 'Be kind.',
      input: 'Hi',
      max_output_tokens: 1,
      reasoning: { effort: 'high' },
      tools: [{ type: 'function', ...lookUp('orders').function }, { type: 'service:datetime' }],
      tool_choice: { type: 'function', name: 'orders' },
      parallel_tool_calls: false,
      service_tier: 'default',
      text: { format: { type: 'json_schema', name: 'out', schema: { type: 'object' }, strict: true } },
    });
    const input = [{ type: 'message', role: 'developer', content: 'Own' }];
    expect(join('responses', { input })).not.toHaveProperty('instructions');
  });

  test('is there in just the formats whose requests can name one', () => {
    expect(Object.keys(PRESET_FORMS).toSorted()).toEqual(['chat', 'completions', 'messages', 'responses']);
  });
});

describe('the stored request of a call that names a preset and a prompt', () => {
  const PROMPT = { id: 'greet', name: 'Greet', messages: [{ role: 'user', content: 'Greet {{name}} kindly.' }] };
  const asked = { model: 'acme/chat@preset/help', prompt: { id: 'greet', variables: { name: 'Ann' } } };

  /** Calls, and reads what is stored. */
  async function callOnce() {
    const made = await withPreset({ ...SAVED, seed: 7 });
    await made.core.post('/admin/v1/prompts', PROMPT, admin);
    const response = await say(made.core, 'chat/completions', asked);
    expect(response.status).toBe(200);
    const id = response.headers['x-generation-id'] ?? '';
    const stored = (await made.core.store.generations.getContent(id))?.request;
    return { ...made, id, stored };
  }

  test('is the request as it came in, with the whole one beside it, and makes the same bytes again', async () => {
    const { upstream, stored } = await callOnce();
    expect(stored?.body).toEqual(asked);
    expect(stored?.expanded).toMatchObject({
      model: 'acme/chat',
      seed: 7,
      messages: [{ role: 'system' }, { role: 'user', content: 'Greet Ann kindly.' }],
    });
    expect(stored?.attempts.map(({ body }) => JSON.stringify(body))).toEqual(
      upstream.exchanges.map(({ request }) => request.body),
    );
  });

  test('is sent again with the preset and the prompt as they are now, also to another model', async () => {
    const { core, upstream, id } = await callOnce();
    await core.post('/admin/v1/prompts/greet/versions', { messages: [{ role: 'user', content: '{{name}}!' }] }, admin);
    for (const changes of [{}, { model: 'acme/other' }]) {
      const again = await core.post(`/admin/v1/generations/${id}/resend`, changes, admin);
      expect(again.status).toBe(200);
      expect(upstream.latest().sent).toMatchObject({
        seed: 7,
        messages: [
          { role: 'system', content: 'You answer customers.' },
          { role: 'user', content: 'Ann!' },
        ],
      });
      expect(core.store.appended.at(-1)?.record.generation).toMatchObject({ preset_slug: 'help', prompt_version: 2 });
    }
  });

  test('is found by what the preset says, is run again whole, and becomes a case of the request that came', async () => {
    const { core, id } = await callOnce();
    const content = await core.store.generations.getContent(id);
    const record = await core.store.generations.get(id);
    if (content === undefined || record === undefined) throw new Error('Nothing is stored');
    expect(isInContent('looks up orders', content)).toBe(true);
    const again = toStoredRerunRequest(content);
    expect(again && toTargetRequest(again, { model: 'beta/chat' }).body).toMatchObject({
      model: 'beta/chat',
      seed: 7,
      messages: [{ role: 'system' }, { content: 'Greet Ann kindly.' }],
    });
    expect(toStoredExchange(record.generation, content)).toMatchObject({ path: '/chat/completions', body: asked });
  });
});
