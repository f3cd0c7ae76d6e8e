import { Agent, type Model, OpenAIResponsesModel, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { readAll } from '../../support/async/read-all.ts';
import { CITY_SCHEMA, PIXEL_URL, WEATHER_TOOL, weatherOf } from '../../support/clients/client-inputs.ts';
import { CLIENT_HOSTS } from '../../support/conformance/hosts.ts';
import { type Conformance, openConformance } from '../../support/conformance/start-conformance.ts';
import { TEST_KEY } from '../../support/gateways/test-gateway.ts';

type Response = OpenAI.Responses.Response;
type Input = OpenAI.Responses.ResponseInputItem[];

const TEXT = 'Hello there, how are you? ☕ 你好';
const TOOL: OpenAI.Responses.FunctionTool = { type: 'function', ...WEATHER_TOOL.function, strict: false };
const HELLO: Input = [{ role: 'user', content: 'Hello!' }];
const RESULTS = [
  ['tools', 'call_1: sunny in Paris'],
  ['parallel-tools', 'call_1: sunny in Paris; call_2: sunny in Oslo'],
] as const;

const ask = (name: string, input: string | Input = 'Hello!') => ({ model: `test/${name}`, input, store: false });

/** The items of the model, and the results of the tools that it called. */
const toFollowUp = ({ output }: Response): Input => [
  ...HELLO,
  ...(output as Input),
  ...output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: weatherOf(item.arguments) }]
      : [],
  ),
];

describe.each(CLIENT_HOSTS)('the responses of the openai client on %s', (kind) => {
  let conformance: Conformance;
  let client: OpenAI;

  const clientWith = (apiKey: string): OpenAI =>
    new OpenAI({ apiKey, baseURL: conformance.apiUrl, fetch: conformance.fetch, maxRetries: 0 });

  beforeAll(async () => {
    conformance = await openConformance(kind);
    client = clientWith(TEST_KEY);
  });
  afterEach(() => conformance.throwViolations());
  afterAll(() => conformance.close());

  test('creates a response with its usage', async () => {
    const response = await client.responses.create(ask('text'));
    expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: TEXT });
    expect(response.usage).toMatchObject({ input_tokens: 12, output_tokens: 8, total_tokens: 20 });
  });

  test.each(['text', 'trickle'])('streams what the stream helper puts together (%s)', async (name) => {
    const stream = client.responses.stream(ask(name));
    const events = await readAll(stream);
    const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect([deltas.join(''), (await stream.finalResponse()).output_text]).toEqual([TEXT, TEXT]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  });

  test('shows the reasoning, streamed and not', async () => {
    const request = { ...ask('reasoning'), reasoning: { effort: 'high' as const, summary: 'auto' as const } };
    const whole = await client.responses.create(request);
    const streamed = await client.responses.stream(request).finalResponse();
    for (const response of [whole, streamed]) {
      expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(JSON.stringify(response.output[0])).toContain('First this, then that.');
      expect(response.output_text).toBe('Thought with effort high.');
      expect(response.usage?.output_tokens_details.reasoning_tokens).toBe(5);
    }
  });

  test.each(RESULTS)('calls tools and goes on from their results, streamed and not (%s)', async (name, expected) => {
    const request = { ...ask(name, HELLO), tools: [TOOL] };
    for (const called of [
      await client.responses.create(request),
      await client.responses.stream(request).finalResponse(),
    ]) {
      expect(called.output.every(({ type }) => type === 'function_call')).toBe(true);
      const response = await client.responses.create({ ...request, input: toFollowUp(called) });
      expect(response.output_text).toBe(expected);
    }
  });

  test.each(RESULTS)(
    'goes on from a stored response without its items, streamed and not (%s)',
    async (name, expected) => {
      const request = { ...ask(name, HELLO), store: true, tools: [TOOL] };
      for (const called of [
        await client.responses.create(request),
        await client.responses.stream(request).finalResponse(),
      ]) {
        const results = toFollowUp(called).slice(HELLO.length + called.output.length);
        const next = { ...request, previous_response_id: called.id, input: results };
        const whole = await client.responses.create(next);
        const streamed = await client.responses.stream(next).finalResponse();
        expect([whole.output_text, streamed.output_text]).toEqual([expected, expected]);
        expect(whole).toMatchObject({ previous_response_id: called.id, store: true });
        const { data } = await client.responses.inputItems.list(whole.id, { order: 'asc' });
        expect(data.map(({ type }) => type)).toEqual([
          'message',
          ...called.output.map(({ type }) => type),
          ...results.map(({ type }) => type),
        ]);
      }
    },
  );

  test('retrieves what was stored, and deletes it', async () => {
    const { _request_id: _, ...sent } = await client.responses.create({ ...ask('text'), store: true });
    expect(await client.responses.retrieve(sent.id)).toMatchObject(sent);
    expect(await failureOf(client.responses.cancel(sent.id))).toBeInstanceOf(OpenAI.BadRequestError);
    await client.responses.delete(sent.id);
    expect(await failureOf(client.responses.retrieve(sent.id))).toBeInstanceOf(OpenAI.NotFoundError);
    const next = client.responses.create({ ...ask('text'), previous_response_id: sent.id });
    expect(await failureOf(next)).toBeInstanceOf(OpenAI.BadRequestError);
  });

  test('parses an output that follows a JSON schema', async () => {
    const format = { type: 'json_schema' as const, name: 'place', strict: true, schema: CITY_SCHEMA };
    const response = await client.responses.parse({ ...ask('json-schema'), text: { format } });
    expect(response.output_parsed).toEqual({ city: 'Paris', country: 'France' });
  });

  test('sends an image unchanged', async () => {
    const content = [{ type: 'input_image' as const, image_url: PIXEL_URL, detail: 'auto' as const }];
    const response = await client.responses.create(ask('image', [{ role: 'user', content }]));
    expect(response.output_text).toBe(`I see ${PIXEL_URL}`);
  });

  test('throws the error class of each status, with what the provider said', async () => {
    const failures = await Promise.all([
      failureOf(client.responses.create(ask('bad-request'))),
      failureOf(clientWith('sk-gw-v1-unknown').responses.create(ask('text'))),
      failureOf(client.responses.create(ask('no-such-model'))),
      failureOf(client.responses.create(ask('rate-limited'))),
      failureOf(client.responses.create({ ...ask('text'), temperature: 3 })),
    ]);
    expect(failures.map((failure) => (failure as object).constructor)).toEqual([
      OpenAI.BadRequestError,
      OpenAI.AuthenticationError,
      OpenAI.BadRequestError,
      OpenAI.RateLimitError,
      OpenAI.BadRequestError,
    ]);
    expect(failures[0]).toMatchObject({ message: expect.stringContaining('no such voice') });
    expect(failures[4]).toMatchObject({ message: expect.stringContaining('temperature') });
  });

  test.each(['error-event', 'cut'])(
    'ends a stream that breaks as failed, after what came before (%s)',
    async (name) => {
      const events = await readAll(await client.responses.create({ ...ask(name), stream: true }));
      const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
      expect(deltas.join('')).toBe('Hello there, ');
      expect(events.at(-1)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { message: expect.stringContaining('Scripted') } },
      });
    },
  );

  test('closes the call upstream when it is aborted', async () => {
    const leaving = new AbortController();
    const [call, record] = [conformance.upstream.nextCall(), conformance.nextRecord()];
    const stream = await client.responses.create({ ...ask('held'), stream: true }, { signal: leaving.signal });
    const reading = readAll(stream).catch(() => undefined);
    const { closed } = await call;
    leaving.abort();
    await reading;
    expect(await closed).toBe(false);
    expect((await record).generation).toMatchObject({ cancelled: true, streamed: true });
  });

  describe('the agents of @openai/agents', () => {
    const weather = tool({
      name: 'get_weather',
      description: 'Tells the weather of a city.',
      parameters: WEATHER_TOOL.function.parameters as never,
      strict: false,
      execute: (input) => weatherOf(JSON.stringify(input)),
    });
    const runner = new Runner({ tracingDisabled: true });
    const agentOf = (name: string): Agent => {
      const model: Model = new OpenAIResponsesModel(client, `test/${name}`);
      return new Agent({ name: 'Reporter', instructions: 'Report.', model, tools: [weather] });
    };

    test.each(RESULTS)('run tools until the end, streamed and not (%s)', async (name, expected) => {
      const whole = await runner.run(agentOf(name), 'Hello!');
      const streamed = await runner.run(agentOf(name), 'Hello!', { stream: true });
      await streamed.completed;
      expect([whole.finalOutput, streamed.finalOutput]).toEqual([expected, expected]);
    });

    test.each(RESULTS)('run on from a stored response, sending only what is new (%s)', async (name, expected) => {
      const { id } = await client.responses.create({ ...ask('text', HELLO), store: true });
      const run = await runner.run(agentOf(name), 'And the weather?', { previousResponseId: id });
      expect(run.finalOutput).toBe(expected);
      const { data } = await client.responses.inputItems.list(run.lastResponseId ?? '', { order: 'asc' });
      for (const said of ['Hello!', 'And the weather?']) expect(JSON.stringify(data).split(said)).toHaveLength(2);
    });

    test('fail with what the provider said', async () => {
      const failure = await failureOf(runner.run(agentOf('bad-request'), 'Hello!'));
      expect(failure).toMatchObject({ message: expect.stringContaining('no such voice') });
    });
  });
});
