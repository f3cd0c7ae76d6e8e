import { expect, test } from 'vitest';

import { createCatalog, type Endpoint } from '../catalog/catalog.ts';
import { chatBoundOf } from '../chat/chat-kind.ts';
import type { Provider } from '../providers/provider.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import type { EndpointDefinition } from '../wire/model-definition.ts';
import { worstCaseNanoUsd } from './reserve-call.ts';

const provider: Provider = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };

function endpointWith(definition: Partial<EndpointDefinition>): Endpoint {
  const endpoints = [{ provider: 'acme', providerModel: 'm', ...definition }];
  const [model] = createCatalog([provider], [{ id: 'acme/m', endpoints }]).list();
  const endpoint = model?.endpoints[0];
  if (endpoint === undefined) throw new Error('The catalog has lost the endpoint');
  return endpoint;
}

type Content = Extract<ChatCompletionRequest['messages'][number], { role: 'user' }>['content'];

const asking = (content: Content, changes: Partial<ChatCompletionRequest> = {}): ChatCompletionRequest => ({
  messages: [{ role: 'user', content }],
  ...changes,
});
const worst = (definition: Partial<EndpointDefinition>, request: ChatCompletionRequest): number | null =>
  worstCaseNanoUsd(endpointWith(definition), chatBoundOf(request));

const NANO = '0.000000001';

test.each(['Hello', 'ひらがな', '😀😀', '"quotes" and \\ and \n', 'a'])(
  'has at least as many tokens in the prompt %j as it has bytes',
  (text) => {
    const bytes = new TextEncoder().encode(text).length;
    const cost = worst({ pricing: { prompt: NANO, completion: '0' } }, asking(text)) ?? 0;
    expect(cost).toBeGreaterThanOrEqual(bytes + 10);
    expect(cost).toBeLessThan(bytes + 70);
  },
);

test('assumes a completion as long as the request, or else the endpoint, allows', () => {
  const pricing = { prompt: '0', completion: NANO };
  const limited = { pricing, max_completion_tokens: 4096, context_length: 9000 };
  expect(worst(limited, asking('Hi', { max_tokens: 100 }))).toBe(100);
  expect(worst(limited, asking('Hi', { max_tokens: 100, max_completion_tokens: 200 }))).toBe(200);
  expect(worst(limited, asking('Hi', { max_tokens: 1_000_000 }))).toBe(4096);
  expect(worst(limited, asking('Hi'))).toBe(4096);
  expect(worst({ pricing, context_length: 9000 }, asking('Hi'))).toBe(9000);
  expect(worst({ pricing }, asking('Hi'))).toBeNull();
  expect(worst({ pricing }, asking('Hi', { max_tokens: 100 }))).toBe(100);
  expect(worst({ pricing: { prompt: '0', completion: '0' } }, asking('Hi'))).toBe(0);
});

test('rounds up to a whole nano-dollar', () => {
  const endpoint = { pricing: { prompt: '0', completion: '0.0000000001' } };
  expect(worst(endpoint, asking('Hi', { max_tokens: 1 }))).toBe(1);
  expect(worst(endpoint, asking('Hi', { max_tokens: 11 }))).toBe(2);
  expect(worst(endpoint, asking('Hi', { max_tokens: 20 }))).toBe(2);
});

test('knows no bound where a price of tokens is missing', () => {
  const request = asking('Hi', { max_tokens: 1 });
  expect(worst({}, request)).toBeNull();
  expect(worst({ pricing: { prompt: NANO } }, request)).toBeNull();
  expect(worst({ pricing: { completion: NANO } }, request)).toBeNull();
});

test('takes the dearest price that may apply to a token', () => {
  const request = asking('Hi', { max_tokens: 1 });
  const base = worst({ pricing: { prompt: NANO, completion: '0' } }, request) ?? 0;
  const dearer = { prompt: NANO, input_cache_write: '0.000000002', completion: '0' };
  expect(worst({ pricing: dearer }, request)).toBe(base * 2);
  expect(worst({ pricing: { ...dearer, audio: '0.000000009' } }, request)).toBe(base * 2);
  expect(worst({ pricing: { prompt: '0', completion: NANO, internal_reasoning: '0.000000003' } }, request)).toBe(3);
  expect(worst({ pricing: { prompt: '0', completion: '0', request: '0.01' } }, request)).toBe(10_000_000);
  const atNight = { prompt: '0', completion: '0.000000007', utc_start: 0, utc_end: 100 };
  expect(worst({ pricing: { prompt: '0', completion: NANO, overrides: [atNight] } }, request)).toBe(7);
  const forLong = { prompt: '0', completion: '0.000000007', min_prompt_tokens: 1000 };
  expect(worst({ pricing: { prompt: '0', completion: NANO, overrides: [forLong] } }, request)).toBe(1);
  const long = asking('a'.repeat(1000), { max_tokens: 1 });
  expect(worst({ pricing: { prompt: '0', completion: NANO, overrides: [forLong] } }, long)).toBe(7);
});

test('counts an image by the most it can take, not by the bytes of its data', () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } } as const;
  const text = { type: 'text', text: 'What is this?' } as const;
  const pricing = { prompt: NANO, completion: '0', image: '0.001' };
  const cost = worst({ pricing }, asking([text, image, image])) ?? 0;
  expect(cost).toBeGreaterThan(2_000_000 + 100_000);
  expect(cost).toBeLessThan(2_000_000 + 100_300);
  const short = worst({ pricing, context_length: 8000 }, asking([text, image])) ?? 0;
  expect(short).toBeGreaterThan(1_000_000 + 8_000);
  expect(short).toBeLessThan(1_000_000 + 8_300);
});

test('counts speech by its length, at its own price', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(64_000), format: 'mp3' } } as const;
  const cost = worst({ pricing: { prompt: NANO, audio: '0.00000001', completion: '0' } }, asking([audio])) ?? 0;
  expect(cost).toBeGreaterThanOrEqual(10 * 3000);
  expect(cost).toBeLessThan(10 * 3200);
});

test.each([
  { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  { type: 'video_url', video_url: { url: 'https://example.com/film.mp4' } },
] as const)('assumes that content of unknown length fills the context: $type', (part) => {
  const pricing = { prompt: NANO, completion: '0' };
  const request = asking([part], { max_tokens: 1 });
  expect(worst({ pricing }, request)).toBeNull();
  expect(worst({ pricing: { prompt: '0', completion: '0' } }, request)).toBe(0);
  const cost = worst({ pricing, context_length: 100_000 }, request) ?? 0;
  expect(cost).toBeGreaterThan(100_000);
  expect(cost).toBeLessThan(100_200);
});

test('counts the tools with what providers say about them, and what a prediction gets wrong', () => {
  const tool = { type: 'function' as const, function: { name: 'f', description: 'x'.repeat(500) } };
  const prompt = { pricing: { prompt: NANO, completion: '0' } };
  const plain = worst(prompt, asking('Hi')) ?? 0;
  expect(worst(prompt, asking('Hi', { tools: [tool] })) ?? 0).toBeGreaterThan(plain + 1500);
  const prediction = { type: 'content' as const, content: 'y'.repeat(300) };
  const completion = { pricing: { prompt: '0', completion: NANO } };
  expect(worst(completion, asking('Hi', { max_tokens: 10, prediction })) ?? 0).toBeGreaterThanOrEqual(310);
});
