import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GenerationRecord,
  type ModelDefinition,
  type Store,
} from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';

import { createBroadcastOptions } from '../broadcast/broadcast-options.ts';
import type { ScriptedUpstream } from '../upstreams/scripted-upstream.ts';
import { withCheckedResponses } from './check-responses.ts';

export const TEST_KEY = 'sk-gw-v1-test';
export const TEST_MANAGEMENT_KEY = 'sk-gw-v1-test-management';
/** The gateway's own key at the upstream; must never come out of it. */
export const UPSTREAM_KEY = 'sk-upstream-key-0001';

export interface TestGateway {
  readonly gateway: Gateway;
  readonly store: Store;
  /** Resolves with the next generation that is recorded. */
  nextRecord(): Promise<GenerationRecord>;
  /** How many generations have been recorded. */
  recordCount(): number;
  close(): Promise<void>;
}

const MODEL_NAMES = [
  'text',
  'tools',
  'parallel-tools',
  'image',
  'json-schema',
  'reasoning',
  'refusal',
  'bad-request',
  'unauthorized',
  'rate-limited',
  'broken',
  'error-event',
  'cut',
  'trickle',
  'held',
  'hang',
] as const;

/** `test/<name>` for everything that the scripted upstream can do, and `test/unpriced`, of which no price is known. */
export const TEST_MODELS: readonly ModelDefinition[] = [
  ...MODEL_NAMES.map(toModel),
  {
    ...toModel('speech'),
    architecture: { input_modalities: ['text'], output_modalities: ['text', 'audio'] },
  },
  { id: 'test/unpriced', context_length: 32_768, endpoints: [{ provider: 'scripted', providerModel: 'text' }] },
];

/**
 * Creates a gateway over a scripted upstream, with a model `test/<name>` for everything that upstream can do; `handle`
 * rejects where a response is not as documented.
 */
export function createTestGateway(
  upstream: Pick<ScriptedUpstream, 'baseUrl'>,
  options: Partial<GatewayOptions> = {},
): TestGateway {
  const transport = createUndiciTransport();
  const waiting: ((record: GenerationRecord) => void)[] = [];
  let recordCount = 0;
  const store = createMemoryStore();
  const made = createGateway({
    providers: [
      createOpenAiProvider({
        slug: 'scripted',
        name: 'Scripted',
        baseUrl: upstream.baseUrl,
        apiKey: UPSTREAM_KEY,
        transport,
      }),
    ],
    models: TEST_MODELS,
    store,
    platform: createNodePlatform(),
    broadcast: createBroadcastOptions(),
    logging: { acceptStore: true },
    bootstrapKeys: [
      { key: TEST_KEY, kind: 'api', name: 'test' },
      { key: TEST_MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
    onGeneration(record) {
      recordCount += 1;
      for (const resolve of waiting.splice(0)) resolve(record);
    },
    ...options,
  });
  const gateway = withCheckedResponses(made);
  return {
    gateway,
    store,
    nextRecord: () => new Promise((resolve) => waiting.push(resolve)),
    recordCount: () => recordCount,
    async close() {
      await gateway.close();
      await transport.close();
      await store.close();
    },
  };
}

function toModel(name: string): ModelDefinition {
  return {
    id: `test/${name}`,
    name: `Test: ${name}`,
    description: `Answers as the script "${name}" says.`,
    created: 1_735_689_600,
    context_length: 32_768,
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    endpoints: [
      {
        provider: 'scripted',
        providerModel: name,
        pricing: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000005' },
        max_completion_tokens: 4096,
      },
    ],
  };
}
