import type { Provider } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

import { CALL_KINDS } from '../../../packages/core/src/wire/call-kinds.ts';
import { startHost } from '../conformance/hosts.ts';
import { createTestGateway } from '../gateways/test-gateway.ts';

/** One transparent pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A provider that serves each kind of call but chats, in the shortest way. */
const UP: Provider = {
  slug: 'up',
  name: 'Up',
  dataPolicy: { training: false, retainsPrompts: false },
  embeddings: () => Promise.resolve({ vectors: [[1], [2]], promptTokens: 2 }),
  rerank: () => Promise.resolve({ ranked: [{ index: 0, score: 0.5 }] }),
  speech: () => Promise.resolve({ body: new Blob(['spoken']).stream() as AsyncIterable<Uint8Array> }),
  transcription: () => Promise.resolve({ text: 'heard', seconds: 1 }),
  image: () => Promise.resolve({ images: [{ base64: PIXEL, mediaType: 'image/png' }] }),
  moderation: () =>
    Promise.resolve({
      verdicts: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }],
    }),
  video: {
    honoursIdempotencyKey: true,
    start: () => Promise.resolve({ upstreamId: 'job-1', status: 'pending' }),
    poll: () => Promise.resolve({ status: 'pending' }),
    fetch: () => Promise.reject(new Error('nothing is finished')),
  },
};

/** Starts a gateway with a model `up/<kind>` for each kind of call but chats. Resolves with its origin. */
export async function startKinds(): Promise<string> {
  const models = Object.entries(CALL_KINDS).map(([kind, { output }]) => ({
    id: `up/${kind}`,
    architecture: { output_modalities: [output] },
    endpoints: [{ provider: 'up', providerModel: kind }],
  }));
  const { gateway, close } = createTestGateway({ baseUrl: 'http://127.0.0.1:9' }, { providers: [UP], models });
  const host = await startHost('node', gateway);
  onTestFinished(async () => {
    await host.close();
    await close();
  });
  return host.apiUrl.replace('/api/v1', '');
}
