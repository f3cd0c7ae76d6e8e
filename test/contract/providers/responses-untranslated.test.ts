import type { GatewayResponse } from '@model-gateway/core';
import { describe, expect, test } from 'vitest';

import { ask } from '../../support/gateways/ask-wire.ts';
import { type CoreGateway, createCoreGateway, jsonOf, readFrames } from '../../support/gateways/core-gateway.ts';
import { guardKey } from '../../support/gateways/guard-key.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport, type ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { script } from '../../support/wires/openai-responses.ts';

/** What an upstream of the Responses wire says: items that chat completions know, and one that they do not. */
const ITEMS = [
  {
    id: 'rs_up',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Secretly: the purple dragon 42.' }],
    encrypted_content: 'gAAAA+/=up',
  },
  { id: 'lsh_up', type: 'local_shell_call', call_id: 'c9', status: 'completed', action: { command: ['ls'] } },
  {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    phase: 'final_answer',
    content: [
      { type: 'output_text', text: 'Well, the purple dragon 42 sleeps. The end.', annotations: [], logprobs: [] },
    ],
  },
  {
    id: 'ctc_up',
    type: 'custom_tool_call',
    status: 'completed',
    call_id: 'c1',
    name: 'apply_patch',
    input: 'the purple dragon 42\n"é"',
  },
];

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0, of_tomorrow: 1 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
};

const responseOf = (status: string, output: readonly object[], more: object = {}) => ({
  id: 'resp_up',
  object: 'response',
  created_at: 1,
  model: 'gpt-up',
  status,
  output,
  error: null,
  usage: null,
  ...more,
});
const WHOLE = responseOf('completed', ITEMS, { usage: USAGE, of_tomorrow: true });

interface Event {
  readonly type: string;
  readonly sequence_number?: number;
  readonly [member: string]: unknown;
}

const words = (text: string): readonly string[] => text.match(/\S+\s*/g) ?? [];
const deltas = (type: string, text: string, at: object): Event[] =>
  words(text).map((delta) => ({ type, ...at, delta }));

const toEvent = ({ type, ...members }: Event, sequence_number: number): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...members })}\n\n`;

/** Numbered from 7, so that it shows whose numbers a caller gets. */
const EVENTS: readonly Event[] = [
  { type: 'response.created', response: responseOf('in_progress', []) },
  { type: 'response.in_progress', response: responseOf('in_progress', []) },
  ...ITEMS.flatMap((item, output_index): Event[] => {
    const at = { item_id: item.id, output_index };
    const text = item.content?.[0]?.text ?? '';
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [], summary: [], input: '' } },
      ...deltas('response.reasoning_summary_text.delta', item.summary?.[0]?.text ?? '', { ...at, summary_index: 0 }),
      ...deltas('response.output_text.delta', text, { ...at, content_index: 0, logprobs: [] }),
      ...deltas('response.custom_tool_call_input.delta', item.input ?? '', at),
      ...(text === '' ? [] : [{ type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [] }]),
      { type: 'response.output_item.done', output_index, item },
    ];
  }),
  { type: 'response.completed', response: WHOLE },
];
const streamOf = (events: readonly Event[]): string[] => events.map((event, number) => toEvent(event, number + 7));

const MODELS = [
  {
    id: 'r/native',
    endpoints: [{ provider: 'up', providerModel: 'gpt-up', pricing: { prompt: '0.000001', completion: '0.000002' } }],
  },
];

const gatewayOver = (transport: ScriptedTransport): CoreGateway =>
  createCoreGateway([script.createProvider(transport)], { models: MODELS });

const replay = (pieces: readonly (string | Uint8Array)[], type = 'text/event-stream'): ScriptedTransport =>
  createReplayTransport({ headers: { 'content-type': type }, pieces });

const whole = (): ScriptedTransport => replay([JSON.stringify(WHOLE)], 'application/json');

const TOOLS = [
  { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
  { type: 'local_shell' },
];
const BODY = { model: 'r/native', tools: TOOLS, include: ['reasoning.encrypted_content'] };

const call = (core: CoreGateway, body: object = {}, request: object = {}): Promise<GatewayResponse> =>
  core.post('/api/v1/responses', { ...BODY, input: 'Hi', ...body }, request);

/** The events of a stream, with the number that each has; the last frame is `[DONE]`. */
async function readEvents(response: GatewayResponse): Promise<Event[]> {
  const frames = (await readFrames(response).rest()).split('\n\n').filter((frame) => frame !== '');
  expect(frames.at(-1)).toContain('[DONE]');
  return frames.slice(0, -1).map((frame) => {
    const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/m.exec(frame) ?? [];
    const event = JSON.parse(data) as Event;
    expect(event.type).toBe(name);
    return event;
  });
}

const COSTS = { cost: 0.00002, is_byok: false };

describe('A call of /responses to an upstream that speaks it', () => {
  test('gives the whole response back as it came, with the ids, the model and the cost of here', async () => {
    const core = gatewayOver(whole());
    const response = await call(core);
    const id = response.headers['x-generation-id'];
    expect(jsonOf(response)).toMatchObject({
      ...WHOLE,
      id,
      model: 'r/native',
      provider: 'Up',
      usage: { ...USAGE, ...COSTS },
      // What the official clients need, and upstream left out.
      metadata: {},
      instructions: null,
      parallel_tool_calls: true,
    });
    const { generation } = core.store.appended[0]?.record ?? {};
    expect(generation).toMatchObject({ api_type: 'completions', native_tokens_completion: 5, total_cost: 0.00002 });
  });

  test.each(chunkings(streamOf(EVENTS)))(
    'gives every event back, renumbered without gaps, %s',
    async (_chunking, pieces) => {
      const core = gatewayOver(replay(pieces));
      const response = await call(core, { stream: true });
      const events = await readEvents(response);
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
      const own = { id: response.headers['x-generation-id'], model: 'r/native', provider: 'Up' };
      const bare = events.map(({ sequence_number: _, ...event }) => event);
      expect(bare.slice(2, -1)).toEqual(EVENTS.slice(2, -1));
      expect(bare[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress', ...own } });
      expect(bare.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { ...WHOLE, ...own, usage: { ...USAGE, ...COSTS } },
      });
      expect(core.store.appended[0]?.content).toMatchObject({
        output: { completion: 'Well, the purple dragon 42 sleeps. The end.' },
      });
    },
  );

  test('sends the request on as it came, without what only the gateway knows', async () => {
    const transport = whole();
    const input = [
      { role: 'user', content: 'Hi' },
      { id: 'rs_up', type: 'reasoning', summary: [], encrypted_content: 'gAAAA+/=up' },
      { type: 'local_shell_call_output', call_id: 'c9', output: 'a.txt' },
    ];
    await call(gatewayOver(transport), { input, provider: { sort: 'price' } });
    expect(transport.latest().sent).toEqual({
      model: 'gpt-up',
      input,
      tools: TOOLS,
      include: ['reasoning.encrypted_content'],
      store: false,
    });
  });

  test('takes its own items back: another turn has upstream’s ids, and none of the gateway’s', async () => {
    const transport = whole();
    const core = gatewayOver(transport);
    // A guardrail on completions takes the items apart and makes them again.
    const guarded = await guardKey(core, {
      content_filters: [{ pattern: 'nothing', action: 'block', direction: 'output' }],
    });
    const { output } = jsonOf(await call(core, {}, guarded)) as { output: readonly { id: string }[] };
    expect(output.map(({ id }) => id).every((id) => !id.endsWith('_up'))).toBe(true);
    await call(core, { input: [...output, { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' }] });
    const { input } = transport.latest().sent as { input: readonly { id?: string; type: string }[] };
    expect(input.map(({ type, id }) => [type, id])).toEqual([
      ['reasoning', 'rs_up'],
      ['message', undefined],
      ['custom_tool_call', undefined],
      ['custom_tool_call_output', undefined],
    ]);
    expect(input[0]).toMatchObject({ encrypted_content: 'gAAAA+/=up' });
  });

  const MIDDLE = EVENTS.slice(
    0,
    EVENTS.findIndex(({ type }) => type === 'response.output_text.done'),
  );
  const FAILED: Event = {
    type: 'response.failed',
    response: responseOf('failed', [], { error: { code: 'server_is_overloaded', message: 'Too much' } }),
  };

  test.each([
    ...chunkings(streamOf([...MIDDLE, FAILED])).map(
      // The next try may reach another endpoint, and an agent that reads of an overload does not try again.
      ([name, pieces]) => [`is overloaded in the middle, ${name}`, pieces, 'server_error'] as const,
    ),
    ...chunkings(streamOf(MIDDLE)).map(
      ([name, pieces]) => [`breaks off in the middle, ${name}`, pieces, 'server_error'] as const,
    ),
  ])('an upstream that %s: what came before it, then a failure', async (_name, pieces, code) => {
    const core = gatewayOver(replay(pieces));
    const events = await readEvents(await call(core, { stream: true }));
    expect(events.slice(2, -1).map(({ sequence_number: _, ...event }) => event)).toEqual(MIDDLE.slice(2));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      sequence_number: events.length - 1,
      response: { status: 'failed', error: { code }, output: ITEMS.slice(0, 2) },
    });
    expect(core.store.appended[0]?.record.generation.finish_reason).toBe('error');
  });

  test('an incomplete response stays one', async () => {
    const more = { incomplete_details: { reason: 'max_output_tokens' }, usage: USAGE };
    const cut = responseOf('incomplete', ITEMS, more);
    const events = [...EVENTS.slice(0, -1), { type: 'response.incomplete', response: cut }];
    const streamed = await readEvents(await call(gatewayOver(replay(streamOf(events))), { stream: true }));
    expect(streamed.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete', ...more } });
  });
});

describe('A guardrail holds on untranslated calls', () => {
  const filter = (action: string, direction: string, pattern = 'purple dragon \\d+') => ({
    content_filters: [{ pattern, action, label: 'PD', direction }],
  });

  test('what it redacts or blocks of a prompt never leaves', async () => {
    for (const input of [
      'tell the purple dragon 42',
      [{ type: 'local_shell_call_output', call_id: 'c9', output: 'the purple dragon 42' }],
      [{ role: 'user', content: [{ type: 'input_text', text: 'the purple dragon 42' }] }],
    ]) {
      const transport = whole();
      const core = gatewayOver(transport);
      const listed = [...(typeof input === 'string' ? [{ role: 'user', content: input }] : input)];
      const body = { input: [{ role: 'user', content: 'Hi' }, ...listed], instructions: 'no purple dragon 42' };
      await call(core, body, await guardKey(core, filter('redact', 'input')));
      expect(transport.exchanges).toHaveLength(1);
      expect(transport.latest().request.body).not.toContain('dragon');
      // It is still the request as it came, with all of its tools.
      expect(transport.latest().sent).toMatchObject({ tools: TOOLS });

      const blocked = await call(core, body, await guardKey(core, filter('block', 'input')));
      expect(blocked.status).toBe(403);
      expect(transport.exchanges).toHaveLength(1);
    }
  });

  test.each([['whole', null] as const, ...chunkings(streamOf(EVENTS))])(
    'what it redacts or blocks of a completion never leaves: %s',
    async (_name, pieces) => {
      for (const action of ['redact', 'block']) {
        const core = gatewayOver(pieces === null ? whole() : replay(pieces));
        const guarded = await guardKey(core, filter(action, 'output'));
        const response = await call(core, { stream: pieces !== null }, guarded);
        const body = typeof response.body === 'string' ? response.body : await readFrames(response).rest();
        expect(body).not.toMatch(/dragon|\b42\b/);
        if (action === 'redact') expect(body).toContain('sleeps. The end.');
        else expect(body).toMatch(/PD/);
      }
    },
  );
});

describe('Other formats over an upstream of this wire', () => {
  test.each(chunkings(streamOf(EVENTS)))('/chat/completions, %s', async (_chunking, pieces) => {
    const { completion } = await ask(script, replay(pieces), { stream: true });
    expect(completion).toMatchObject({
      content: 'Well, the purple dragon 42 sleeps. The end.',
      reasoning: 'Secretly: the purple dragon 42.',
      calls: [['apply_patch', JSON.stringify({ input: ITEMS[3]?.input })]],
      finish: 'tool_calls',
      native: 'completed',
    });
  });

  test('/messages, whole and in three chunkings', async () => {
    const body = { model: 'r/native', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] };
    const said = jsonOf(await gatewayOver(whole()).post('/api/v1/messages', body)) as unknown as {
      content: readonly { type: string; text?: string }[];
      usage: object;
    };
    expect(said.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(said.content[1]?.text).toBe('Well, the purple dragon 42 sleeps. The end.');
    expect(said.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    for (const [, pieces] of chunkings(streamOf(EVENTS))) {
      const response = await gatewayOver(replay(pieces)).post('/api/v1/messages', { ...body, stream: true });
      const frames = await readFrames(response).rest();
      expect(frames.match(/"text_delta","text":"[^"]*"/g)?.join('')).toContain('dragon ');
      expect(frames).toContain('event: message_stop');
    }
  });
});
