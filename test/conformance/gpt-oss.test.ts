import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createOpenAiResponsesProvider } from '@model-gateway/core/providers/openai-responses';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { OPENAI_PRESETS } from '../../packages/core/src/providers/openai/openai-presets.ts';
import { readAll } from '../support/async/read-all.ts';
import { type Host, startHost } from '../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY, type TestGateway } from '../support/gateways/test-gateway.ts';
import { type GptOss, startGptOss } from '../support/gpt-oss/start-gpt-oss.ts';

/** Six tools, each with five ways to call it: text of any kind, numbers, lists, what is nested, and nothing. */
const TOOLS: Readonly<Record<string, { readonly properties: object; readonly calls: readonly object[] }>> = {
  get_status: {
    properties: {},
    calls: [{}, {}, {}, {}, {}],
  },
  translate: {
    properties: { text: { type: 'string' }, to: { type: 'string' } },
    calls: ['Hello', '', 'A "quoted" \\ text', 'Zeile\neins\tund zwei', '漢字 ☕ 🦩'].map((text) => ({
      text,
      to: 'fr',
    })),
  },
  convert_units: {
    properties: { value: { type: 'number' }, from: { type: 'string' }, to: { type: 'string' } },
    calls: [0, -1.5, 1e21, 0.1, 42].map((value) => ({ value, from: 'km', to: 'mi' })),
  },
  sum_numbers: {
    properties: { numbers: { type: 'array', items: { type: 'number' } } },
    calls: [[], [1], [1, 2, 3], [-1, 0.5], Array.from({ length: 60 }, (_, index) => index)].map((numbers) => ({
      numbers,
    })),
  },
  find_orders: {
    properties: {
      status: { type: 'string', enum: ['open', 'paid', 'sent'] },
      limit: { type: 'integer' },
      with_items: { type: 'boolean' },
    },
    calls: [
      { status: 'open', limit: 1, with_items: true },
      { status: 'paid', limit: 100, with_items: false },
      { status: 'sent', limit: 0, with_items: false },
      { status: 'open', limit: 10, with_items: false },
      { status: 'paid', limit: 5, with_items: true },
    ],
  },
  plan_meeting: {
    properties: {
      title: { type: 'string' },
      when: {
        type: 'object',
        properties: { day: { type: 'string' }, hour: { type: 'integer' } },
        required: ['day', 'hour'],
        additionalProperties: false,
      },
      guests: { type: 'array', items: { type: 'string' } },
    },
    calls: [8, 12, 17, 0, 23].map((hour) => ({
      title: `Plan at ${hour}`,
      when: { day: '2026-12-01', hour },
      guests: ['ann@acme.example', 'Bo'],
    })),
  },
};

const CASES = Object.entries(TOOLS).flatMap(([name, { calls }]) => calls.map((args) => ({ name, args })));
/** The forms of the API, over both forms that servers of gpt-oss speak, streamed and whole. */
const CELLS = ['chat', 'responses'].flatMap((api) =>
  ['chat', 'responses'].flatMap((wire) => ['streamed', 'whole'].map((form) => ({ api, wire, form }))),
);

const parametersOf = (properties: object) => ({
  type: 'object' as const,
  properties,
  required: Object.keys(properties),
  additionalProperties: false as const,
});
const toThought = (name: string): string => `The user wants ${name}. ☕ Let me call it.`;

let oss: GptOss;
let host: Host;
let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  oss = await startGptOss();
  const shared = { baseUrl: oss.baseUrl, apiKey: 'key', transport: createUndiciTransport() };
  const pricing = { prompt: '0', completion: '0' };
  gateway = createTestGateway(oss, {
    providers: [
      createOpenAiProvider({ slug: 'chat', name: 'Chat', dialect: OPENAI_PRESETS.vllm.dialect, ...shared }),
      createOpenAiResponsesProvider({ slug: 'responses', name: 'Responses', ...shared }),
    ],
    models: ['chat', 'responses'].map((provider) => ({
      id: `${provider}/gpt-oss-120b`,
      endpoints: [{ provider, providerModel: 'gpt-oss-120b', pricing }],
    })),
  });
  host = await startHost('node', gateway.gateway);
  client = new OpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.close();
  await host.close();
  await oss.close();
});

test('there are six tools and thirty cases', () => {
  expect([Object.keys(TOOLS).length, CASES.length]).toEqual([6, 30]);
});

// Each makes some dozens of calls, on a machine that may be busy.
const PATIENCE = { timeout: 60_000 };

describe.each(CELLS)('an agent on $api over a server with $wire, $form', ({ api, wire, form }) => {
  test(
    'calls the tool of each of the thirty cases with its arguments, and says what it returned',
    PATIENCE,
    async () => {
      const made: { readonly name: string; readonly args: unknown }[] = [];
      const tools = Object.entries(TOOLS).map(([name, { properties }]) =>
        tool({
          name,
          description: `Does ${name}.`,
          parameters: parametersOf(properties) as never,
          strict: true,
          execute: (args) => {
            made.push({ name, args });
            return `done ${name}`;
          },
        }),
      );
      const id = `${wire}/gpt-oss-120b`;
      const model = api === 'chat' ? new OpenAIChatCompletionsModel(client, id) : new OpenAIResponsesModel(client, id);
      const agent = new Agent({ name: 'Clerk', instructions: 'Use the tools.', model, tools });
      const runner = new Runner({ tracingDisabled: true });
      for (const { name, args } of CASES) {
        const before = oss.calls.length;
        const order = `Call ${name} with ${JSON.stringify(args)}`;
        const run =
          form === 'whole' ? await runner.run(agent, order) : await runner.run(agent, order, { stream: true });
        if ('completed' in run) await run.completed;
        expect([run.finalOutput, made.at(-1)]).toEqual([`The tool says: done ${name}`, { name, args }]);
        const [first] = run.rawResponses[0]?.output ?? [];
        const raw = [{ type: 'reasoning_text', text: toThought(name) }];
        // The client of this form hands on what it does not read itself.
        const said = api === 'chat' ? { rawContent: raw } : { content: [], providerData: { content: raw } };
        expect(first).toMatchObject({ type: 'reasoning', ...said });
        expect(oss.calls.length - before).toBe(2);
        // A text without details, as chat clients keep it, has no place over Responses.
        if (api === 'responses' || wire === 'chat') {
          expect(JSON.stringify(oss.calls.at(-1)?.body)).toContain(toThought(name));
        }
      }
      expect(made).toHaveLength(30);
    },
  );
});

const asRequest = (wire: string, { name, args }: (typeof CASES)[number]) => ({
  model: `${wire}/gpt-oss-120b`,
  input: `Call ${name} with ${JSON.stringify(args)}`,
  tools: Object.entries(TOOLS).map(([tool, { properties }]) => ({
    type: 'function' as const,
    name: tool,
    strict: true,
    parameters: parametersOf(properties),
  })),
});

describe.each(['chat', 'responses'])('the openai client on responses over a server with %s', (wire) => {
  test('gets raw reasoning as the content of an item without a summary, streamed and whole', PATIENCE, async () => {
    for (const one of CASES) {
      const request = asRequest(wire, one);
      const stream = client.responses.stream(request);
      const events = await readAll(stream);
      const [whole, streamed] = [await client.responses.create(request), await stream.finalResponse()];
      const thought = toThought(one.name);
      for (const { output } of [whole, streamed]) {
        expect(output).toMatchObject([
          { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: thought }] },
          { type: 'function_call', name: one.name, arguments: JSON.stringify(one.args) },
        ]);
      }
      const deltas = events.map((event) => (event.type === 'response.reasoning_text.delta' ? event.delta : ''));
      const done = events.flatMap((event) => (event.type === 'response.reasoning_text.done' ? [event.text] : []));
      expect([deltas.join(''), done]).toEqual([thought, [thought]]);
      expect(events.some(({ type }) => type.includes('summary'))).toBe(false);
    }
  });

  test('sends the item back with the result of the tool, or leaves both to the gateway', PATIENCE, async () => {
    for (const one of CASES) {
      const { input, ...request } = asRequest(wire, one);
      const called = await client.responses.create({ ...request, input });
      const [, call] = called.output;
      if (call?.type !== 'function_call') throw new Error('There is no call');
      const result = { type: 'function_call_output' as const, call_id: call.call_id, output: 'done' };
      const items = called.output as OpenAI.Responses.ResponseInputItem[];
      for (const next of [
        { input: [{ role: 'user' as const, content: input }, ...items, result] },
        { input: [result], previous_response_id: called.id },
      ]) {
        expect((await client.responses.create({ ...request, ...next })).output_text).toBe('The tool says: done');
        expect(JSON.stringify(oss.calls.at(-1)?.body).split(toThought(one.name))).toHaveLength(2);
      }
    }
  });
});
