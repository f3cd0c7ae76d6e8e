import {
  createFetchTransport,
  createGateway,
  createWebPlatform,
  type DestinationFormat,
  type GenerationRecord,
  toFetchHandler,
} from '@model-gateway/core';
import { createAnthropicProvider } from '@model-gateway/core/providers/anthropic';
import { createGoogleProvider } from '@model-gateway/core/providers/google';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createOpenAiResponsesProvider } from '@model-gateway/core/providers/openai-responses';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';

import { API_KEY, HOOK_URL, MANAGEMENT_KEY, UPSTREAM } from './addresses.ts';

/** What the worker exports as its handler. */
export type Handler = (request: Request, context: object) => Promise<Response>;

const PROVIDERS = {
  openai: createOpenAiProvider,
  anthropic: createAnthropicProvider,
  google: createGoogleProvider,
  'openai-responses': createOpenAiResponsesProvider,
};

const webhookFormat: DestinationFormat<'webhook'> = {
  type: 'webhook',
  toRequests: (traces, { url, method }) =>
    Promise.resolve([
      { url, method, headers: {}, body: JSON.stringify(traces.map(({ generationId }) => generationId)) },
    ]),
  toTestRequest: ({ url, method }) => Promise.resolve({ url, method, headers: {}, body: '[]' }),
};

/** A gateway with every wire, whose platform finds out by itself that it is on Workers. */
export function createHandler(): Handler {
  const platform = createWebPlatform();
  const transport = createFetchTransport({ platform });
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  const gateway = createGateway({
    providers: Object.entries(PROVIDERS).map(([slug, createProvider]) =>
      createProvider({ slug, name: slug, baseUrl: `${UPSTREAM}/${slug}`, apiKey: 'sk-up', transport }),
    ),
    models: [
      ...Object.keys(PROVIDERS).map((slug) => ({
        id: `test/${slug}`,
        endpoints: [{ provider: slug, providerModel: 'text', pricing }],
      })),
      ...['held', 'silent'].map((name) => ({
        id: `test/${name}`,
        endpoints: [{ provider: 'openai', providerModel: name, pricing }],
      })),
      {
        id: 'test/film',
        architecture: { input_modalities: ['text'], output_modalities: ['video'] },
        endpoints: [{ provider: 'openai', providerModel: 'film', pricing: { video_second: '0.1' } }],
      },
    ],
    store: createMemoryStore(),
    platform,
    timeouts: { firstTokenMs: 2500, nonStreamMs: 2500, keepAliveMs: 300 },
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'ops' },
    ],
    broadcast: { formats: [webhookFormat], transport, findUrlProblem: () => undefined },
    onGeneration: (record: GenerationRecord) => report(record),
  });
  return toFetchHandler(gateway, { expose: ['health', 'metrics', 'openapi', 'admin'] });
}

/** Arrives only if the worker lives on until it has: this is after the response, and takes two round trips. */
async function report({ generation }: GenerationRecord): Promise<void> {
  await fetch(`${HOOK_URL}/first`, { method: 'POST', body: generation.id });
  await fetch(`${HOOK_URL}/recorded`, { method: 'POST', body: JSON.stringify(generation) });
}
