// A server of node:http alone, with a gateway to AI models mounted at /ai.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

import { createGateway } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, toNodeHandler } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';

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

const server = createServer((request, response) => {
  handle(request, response, () => {
    // Everything that is none of the gateway's routes.
    if (request.url === '/') response.end('My own page');
    else response.writeHead(404).end('Not found');
  });
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const { port } = server.address();
  process.stdout.write(`listening on http://127.0.0.1:${port}/ai/api/v1\n`);
  if (process.env.GATEWAY_KEY === undefined) process.stdout.write(`API key: ${key}\n`);
});

const stop = async () => {
  // The gateway first: it ends open streams properly and records them.
  await gateway.close();
  server.close();
  server.closeIdleConnections();
  await transport.close();
};
process.once('SIGTERM', () => void stop());
