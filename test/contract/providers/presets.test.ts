import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { type Fixture, loadFixtures } from '@model-gateway/fixtures';
import { expect, test } from 'vitest';

import type { OpenAiPreset } from '../../../packages/core/src/providers/provider-preset.ts';
import { type FoldedCompletion, foldCompletion } from '../../support/clients/fold-completion.ts';
import { createCoreGateway } from '../../support/gateways/core-gateway.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport, type ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';

/** Asked of every preset alike; what each makes of it stands in its `request.json`. */
const REQUEST = {
  messages: [
    { role: 'developer', content: 'Answer briefly.', name: 'ops' },
    { role: 'user', content: 'How cold is it in Oslo?' },
    {
      role: 'assistant',
      content: null,
      reasoning: 'I need the weather.',
      tool_calls: [
        { id: 'call_weather_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_weather_1', content: '-8 °C' },
  ],
  max_tokens: 2000,
  temperature: 0.5,
  top_k: 40,
  min_p: 0.05,
  repetition_penalty: 1.1,
  frequency_penalty: 0.1,
  seed: 7,
  stop: ['END'],
  verbosity: 'low',
  service_tier: 'default',
  reasoning: { effort: 'high' },
  tools: [
    {
      type: 'function',
      function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ],
  tool_choice: 'required',
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'temperature', schema: { type: 'object', properties: { celsius: { type: 'number' } } } },
  },
};

const THOUGHT = 'It says minus eight.';
const COUNTS = { prompt_tokens: 40, completion_tokens: 30, total_tokens: 70 };
const CACHED = { prompt_tokens_details: { cached_tokens: 8 } };
const REASONED = { completion_tokens_details: { reasoning_tokens: 20 } };
const ALL = { ...CACHED, ...REASONED };

/** Parts of a completion that callers receive beyond the text: reasoning, upstream's token counts, and its refusal. */
const EXPECTED: Readonly<
  Record<string, { reasoning?: null; details: object; cost?: number; refused: readonly [number, string] }>
> = {
  openai: { reasoning: null, details: ALL, refused: [429, 'rate_limit_exceeded'] },
  azure: { reasoning: null, details: ALL, refused: [403, 'permission_denied'] },
  groq: { details: ALL, refused: [429, 'rate_limit_exceeded'] },
  together: { details: {}, refused: [422, 'unprocessable'] },
  fireworks: { details: ALL, refused: [400, 'invalid_request'] },
  deepinfra: { details: ALL, refused: [502, 'provider_unavailable'] },
  deepseek: { details: ALL, refused: [502, 'provider_unavailable'] },
  mistral: { details: {}, refused: [422, 'unprocessable'] },
  cohere: { details: {}, refused: [422, 'unprocessable'] },
  xai: { details: ALL, cost: 0.0000123, refused: [400, 'invalid_request'] },
  cerebras: { details: ALL, refused: [400, 'invalid_request'] },
  perplexity: { details: REASONED, cost: 0.00507, refused: [400, 'invalid_request'] },
  moonshot: { details: CACHED, refused: [503, 'provider_overloaded'] },
  alibaba: {
    details: { ...REASONED, prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 16 } },
    refused: [403, 'permission_denied'],
  },
  nvidia: { details: {}, refused: [404, 'not_found'] },
  openrouter: { details: ALL, cost: 0.0000123, refused: [429, 'rate_limit_exceeded'] },
  gateway: { details: ALL, cost: 0.0000123, refused: [429, 'rate_limit_exceeded'] },
  ollama: { details: {}, refused: [404, 'not_found'] },
  lmstudio: { details: REASONED, refused: [400, 'invalid_request'] },
  'llama-cpp': { details: CACHED, refused: [400, 'context_length_exceeded'] },
  vllm: { details: {}, refused: [400, 'invalid_request'] },
};

const FIXTURES = fileURLToPath(new URL('../../../fixtures', import.meta.url));
const fixtures = loadFixtures(FIXTURES);
const presets = Object.entries(PRESETS).flatMap(([name, preset]): [string, OpenAiPreset][] =>
  preset.wire === 'openai' && preset.hasChat !== false ? [[name, preset]] : [],
);

function fixtureOf(provider: string, name: string): Fixture {
  const found = fixtures.find((fixture) => fixture.provider === provider && fixture.name === name);
  if (found === undefined) throw new Error(`fixtures/${provider}/chat-completions/${name} is missing`);
  return found;
}

/** Puts a request to a gateway whose only provider is made from this preset. */
async function ask(preset: OpenAiPreset, transport: ScriptedTransport, request: object): Promise<FoldedCompletion> {
  const provider = createOpenAiProvider({
    slug: 'up',
    name: preset.name,
    baseUrl: preset.baseUrl ?? preset.ownAddress?.example ?? '',
    apiKey: 'key-of-up',
    dialect: preset.dialect,
    transport,
  });
  const models = ['chat-1', 'refused'].map((name) => ({
    id: `test/${name}`,
    endpoints: [{ provider: 'up', providerModel: name, pricing: { prompt: '0.000001', completion: '0.000002' } }],
  }));
  const { chat } = createCoreGateway([provider], { models });
  return foldCompletion(await chat({ model: 'test/chat-1', provider: null, ...request }));
}

/** The body that was sent, without what only asks for a stream. */
function sentOf(transport: ScriptedTransport): object {
  const { stream: _stream, stream_options: _options, ...body } = transport.latest().sent;
  return body;
}

const replayJson = ({ meta, json }: Fixture): ScriptedTransport =>
  createReplayTransport({
    status: meta.status,
    headers: { 'content-type': 'application/json' },
    pieces: [json ?? ''],
  });

test('there is a case for every preset with chat, and none without', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(presets.map(([name]) => name).toSorted());
  for (const [name] of presets) expect(existsSync(`${FIXTURES}/${name}/chat-completions`)).toBe(true);
});

test.each(presets)(
  '%s is asked in its own words, and understood whole and streamed in any chunking',
  async (name, preset) => {
    const fixture = fixtureOf(name, 'synthetic-weather');
    const expected = EXPECTED[name];
    const transport = replayJson(fixture);
    const whole = await ask(preset, transport, REQUEST);
    expect(sentOf(transport)).toEqual(fixture.request);
    expect(whole).toMatchObject({
      status: 200,
      content: '{"celsius":-8}',
      reasoning: expected?.reasoning === null ? null : THOUGHT,
      finish: 'stop',
    });
    // At 1 µ$ and 2 µ$, 40 and 30 tokens make 100 µ$, unless upstream says itself what it charged.
    const { cost, cost_details: _costs, is_byok: _byok, ...counts } = whole.usage ?? {};
    expect({ cost, ...counts }).toEqual({ cost: expected?.cost ?? 0.0001, ...COUNTS, ...expected?.details });

    const events = new TextDecoder().decode(fixture.sse).split(/(?<=\n\n)/);
    for (const [chunking, pieces] of chunkings(events)) {
      const stream = createReplayTransport({ pieces });
      const streamed = await ask(preset, stream, { ...REQUEST, stream: true });
      expect({ chunking, ...streamed }).toEqual({ chunking, ...whole });
      expect(sentOf(stream)).toEqual(fixture.request);
      const asksForUsage = preset.dialect.streamUsage === 'on-request';
      expect(stream.latest().sent['stream_options']).toEqual(asksForUsage ? { include_usage: true } : undefined);
    }
  },
);

test.each(presets)('a refusal of %s is told in the gateway’s own words', async (name, preset) => {
  const fixture = fixtureOf(name, 'synthetic-refused');
  const [status, type] = EXPECTED[name]?.refused ?? [];
  for (const stream of [false, true]) {
    const { error } = await ask(preset, replayJson(fixture), { model: 'test/refused', stream });
    expect(error).toMatchObject({ code: status, metadata: { error_type: type } });
    // An error that the caller can correct is explained in upstream's words, whatever shape they came in.
    if (status === 400 || status === 403 || status === 422) {
      const words = JSON.stringify(JSON.parse(new TextDecoder().decode(fixture.json)));
      expect(words).toContain(JSON.stringify(error?.message.split(': ').at(-1)).slice(1, -1));
    }
  }
});

const readPage = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');

test('the status names the number of presets', () => {
  expect(readPage('status.md')).toContain(` ${Object.keys(PRESETS).length} [presets](providers.md)`);
});

test('the documentation says how every preset is proven', () => {
  const page = readPage('providers.md');
  const section = /^## What is proven how$(.*?)^## /ms.exec(page)?.[1] ?? '';
  expect(Object.keys(PRESETS).filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});
