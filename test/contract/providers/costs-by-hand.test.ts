import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { expect, test } from 'vitest';

import { foldCompletion } from '../../support/clients/fold-completion.ts';
import { createCoreGateway } from '../../support/gateways/core-gateway.ts';
import { type Capture, findCaptures, missingCaptures } from '../../support/upstreams/captures.ts';
import { chunkings, toEventPieces } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../support/upstreams/scripted-transport.ts';

// Prices are the providers' list prices for these models, USD a token; the sums are done by hand, digit by digit, so
// that they owe nothing to the code under test.
const RECORDINGS = [
  {
    // gpt-4.1-nano: $0.10 and $0.40 a million.
    // 16 × 0.0000001 = 0.0000016; 300 × 0.0000004 = 0.00012; together 0.0001216.
    name: 'openai/openai-text.chunks.txt',
    create: createOpenAiProvider,
    pricing: { prompt: '0.0000001', completion: '0.0000004' },
    counts: { prompt_tokens: 16, completion_tokens: 300 },
    prompt: 0.0000016,
    completion: 0.00012,
    cost: 0.0001216,
  },
  {
    // claude-sonnet-4-5: $3 and $15 a million.
    // 12 × 0.000003 = 0.000036; 30 × 0.000015 = 0.00045; together 0.000486.
    name: 'anthropic/anthropic-text.chunks.txt',
    create: createAnthropicProvider,
    pricing: {
      prompt: '0.000003',
      completion: '0.000015',
      input_cache_read: '0.0000003',
      input_cache_write: '0.00000375',
    },
    counts: { prompt_tokens: 12, completion_tokens: 30 },
    prompt: 0.000036,
    completion: 0.00045,
    cost: 0.000486,
  },
  {
    // gemini-3-pro-preview: $2 and $12 a million; thoughts cost what the response costs.
    // 9 × 0.000002 = 0.000018; 256 thoughts + 29 = 285, × 0.000012 = 0.00342; together 0.003438.
    name: 'google/google-reasoning.chunks.txt',
    create: createGoogleProvider,
    pricing: { prompt: '0.000002', completion: '0.000012', input_cache_read: '0.0000002' },
    counts: { prompt_tokens: 9, completion_tokens: 285 },
    prompt: 0.000018,
    completion: 0.00342,
    cost: 0.003438,
  },
  {
    // deepseek-reasoner: $0.28, from the cache $0.028, and $0.42 a million.
    // 320 × 0.000000028 = 0.00000896 and 19 × 0.00000028 = 0.00000532, so 0.00001428; 83 × 0.00000042 = 0.00003486;
    // together 0.00004914.
    name: 'deepseek/deepseek-tool-call.chunks.txt',
    create: createOpenAiProvider,
    pricing: { prompt: '0.00000028', completion: '0.00000042', input_cache_read: '0.000000028' },
    counts: { prompt_tokens: 339, completion_tokens: 83 },
    prompt: 0.00001428,
    completion: 0.00003486,
    cost: 0.00004914,
  },
] as const;

const isWanted = (names: readonly string[]) => findCaptures(() => true).filter(({ name }) => names.includes(name));

/** Replays a recorded stream through a gateway that charges these prices. */
async function replay(
  { payloads }: Capture,
  create: (typeof RECORDINGS)[number]['create'],
  pricing: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const bills: unknown[] = [];
  for (const [, pieces] of chunkings(toEventPieces(payloads))) {
    const settings = { slug: 'up', baseUrl: 'https://up.example/v1', apiKey: 'k' };
    const provider = create({ ...settings, transport: createReplayTransport({ pieces }) });
    const models = [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'm', pricing }] }];
    const { chat } = createCoreGateway([provider], { models });
    bills.push((await foldCompletion(await chat({ model: 'test/model', stream: true }))).usage);
  }
  return bills;
}

test.skipIf(missingCaptures !== undefined)(
  `finds the recordings whose costs were done by hand${missingCaptures === undefined ? '' : `: ${missingCaptures}`}`,
  () => {
    expect(isWanted(RECORDINGS.map(({ name }) => name))).toHaveLength(RECORDINGS.length);
  },
);

test.each(missingCaptures === undefined ? RECORDINGS : [])(
  'charges for $name what it comes to by hand: $cost',
  async ({ name, create, pricing, counts, prompt, completion, cost }) => {
    const [capture] = isWanted([name]);
    for (const usage of await replay(capture as Capture, create, pricing)) {
      expect(usage).toMatchObject({
        ...counts,
        cost,
        cost_details: { upstream_inference_prompt_cost: prompt, upstream_inference_completions_cost: completion },
      });
    }
  },
);

test.skipIf(missingCaptures !== undefined)('comes by list prices to what xAI itself says it charged', async () => {
  // grok-3-mini: $0.30, from the cache $0.075, and $0.50 a million. Of 307 tokens 306 came from the cache:
  // 306 × 0.000000075 = 0.00002295 and 1 × 0.0000003, so 0.00002325; reasoning is counted apart, so 26 + 227 = 253,
  // × 0.0000005 = 0.0001265; together 0.00014975. The recording says 1497500 ticks of 10^-10 USD: the same.
  const [capture] = isWanted(['xai/xai-tool-call.chunks.txt']);
  const pricing = { prompt: '0.0000003', completion: '0.0000005', input_cache_read: '0.000000075' };
  const silent = { ...(capture as Capture), payloads: (capture as Capture).payloads.map(withoutTicks) };
  for (const recording of [capture as Capture, silent]) {
    for (const usage of await replay(recording, createOpenAiProvider, pricing)) {
      expect(usage).toMatchObject({ prompt_tokens: 307, completion_tokens: 253, total_tokens: 560, cost: 0.00014975 });
    }
  }
});

const withoutTicks = (payload: string): string => payload.replace(/,"cost_in_usd_ticks":\d+/, '');
