// A gateway on Cloudflare Workers. Of ours it needs core alone, and nothing of Node.
import { createFetchTransport, createGateway, createWebPlatform, toFetchHandler } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';

const platform = createWebPlatform();

function createHandler(env) {
  const gateway = createGateway({
    providers: [
      createOpenAiProvider({
        slug: 'openai',
        name: 'OpenAI',
        baseUrl: env.OPENAI_BASE_URL,
        apiKey: env.OPENAI_API_KEY,
        transport: createFetchTransport({ platform }),
      }),
    ],
    models: [
      {
        id: 'openai/gpt-4o-mini',
        endpoints: [
          {
            provider: 'openai',
            providerModel: 'gpt-4o-mini',
            pricing: { prompt: '0.00000015', completion: '0.0000006' },
          },
        ],
      },
    ],
    store: createMemoryStore(),
    platform,
    bootstrapKeys: [{ key: env.GATEWAY_KEY, kind: 'api', name: 'example' }],
    onGeneration: ({ generation }) => console.log(generation.id, generation.model, generation.total_cost),
  });
  return toFetchHandler(gateway, { mountPath: '/ai' });
}

let handle;

export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname === '/') return new Response('My own page');
    handle ??= createHandler(env);
    return handle(request, context);
  },
};
