// A Fastify application of your own, with a gateway to AI models mounted at /ai.
import { randomBytes } from 'node:crypto';

import { createGateway } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, toNodeHandler } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';
import Fastify from 'fastify';

const key = process.env.GATEWAY_KEY ?? `sk-gw-v1-${randomBytes(32).toString('hex')}`;
const transport = createUndiciTransport();

const gateway = createGateway({
  providers: [
    createOpenAiProvider({
      slug: 'openai',
      name: 'OpenAI',
      baseUrl: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
      apiKey: process.env.OPENAI_API_KEY,
      transport,
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
  // Forgets everything when the process ends; createJsonFileStore of @model-gateway/node does not.
  store: createMemoryStore(),
  platform: createNodePlatform(),
  bootstrapKeys: [{ key, kind: 'api', name: 'example' }],
});

const handle = toNodeHandler(gateway, { mountPath: '/ai' });

const app = Fastify();
app.get('/', () => 'My own page');
app.register(async (mount) => {
  // The gateway reads bodies itself, within its own limits; the parsers of the application stay as they are elsewhere.
  mount.removeAllContentTypeParsers();
  mount.addContentTypeParser('*', (_request, _body, done) => done(null));
  mount.all('/ai/*', (request, reply) => {
    reply.hijack();
    handle(request.raw, reply.raw);
  });
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
const { port } = app.server.address();
process.stdout.write(`listening on http://127.0.0.1:${port}/ai/api/v1\n`);
if (process.env.GATEWAY_KEY === undefined) process.stdout.write(`API key: ${key}\n`);

const stop = async () => {
  // The gateway first: it ends open streams properly and records them.
  await gateway.close();
  await app.close();
  await transport.close();
};
process.once('SIGTERM', () => void stop());
