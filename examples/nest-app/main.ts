// A Nest application of your own, with a gateway to AI models mounted at /ai.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';

import { createGateway } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, toNodeHandler } from '@model-gateway/node';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Controller()
class PageController {
  @Get()
  show(): string {
    return 'My own page';
  }
}

@Module({ controllers: [PageController] })
class AppModule {}

const key = process.env['GATEWAY_KEY'] ?? `sk-gw-v1-${randomBytes(32).toString('hex')}`;
const transport = createUndiciTransport();

const gateway = createGateway({
  providers: [
    createOpenAiProvider({
      slug: 'openai',
      name: 'OpenAI',
      baseUrl: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1',
      apiKey: process.env['OPENAI_API_KEY'],
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

const app = await NestFactory.create(AppModule, { logger: ['error'] });
// Whether Nest runs on Express or on Fastify. Requests that are none of the gateway's routes go on to the controllers.
app.use(toNodeHandler(gateway, { mountPath: '/ai' }));

await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
const { port } = app.getHttpServer().address() as AddressInfo;
process.stdout.write(`listening on http://127.0.0.1:${port}/ai/api/v1\n`);
if (process.env['GATEWAY_KEY'] === undefined) process.stdout.write(`API key: ${key}\n`);

const stop = async (): Promise<void> => {
  // The gateway first: it ends open streams properly and records them.
  await gateway.close();
  await app.close();
  await transport.close();
};
process.once('SIGTERM', () => void stop());
