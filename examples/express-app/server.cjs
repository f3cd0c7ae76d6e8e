'use strict';
// The same application in CommonJS. The packages are ES modules, which Node 22 and later can require.
const { randomBytes } = require('node:crypto');

const { createGateway } = require('@model-gateway/core');
const { createOpenAiProvider } = require('@model-gateway/core/providers/openai');
const { createMemoryStore } = require('@model-gateway/core/stores/memory-store');
const { gatewayRouter } = require('@model-gateway/express');
const { createNodePlatform } = require('@model-gateway/node');
const { createUndiciTransport } = require('@model-gateway/node/undici');
const express = require('express');

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
  store: createMemoryStore(),
  platform: createNodePlatform(),
  bootstrapKeys: [{ key, kind: 'api', name: 'example' }],
});

const app = express();
app.get('/', (_request, response) => response.send('My own page'));
// Before express.json(), which then only reads what the gateway has left.
app.use('/ai', gatewayRouter(gateway));
app.use(express.json());

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const { port } = server.address();
  process.stdout.write(`listening on http://127.0.0.1:${port}/ai/api/v1\n`);
  if (process.env.GATEWAY_KEY === undefined) process.stdout.write(`API key: ${key}\n`);
});

const stop = async () => {
  await gateway.close();
  server.close();
  server.closeIdleConnections();
  await transport.close();
};
process.once('SIGTERM', () => void stop());
