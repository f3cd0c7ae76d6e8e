// A gateway in any host that speaks the web's Request and Response; here Hono on Node. Of ours it needs core alone.
import { serve } from '@hono/node-server';
import { createFetchTransport, createGateway, createWebPlatform, toFetchHandler } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { Hono } from 'hono';

const key = process.env.GATEWAY_KEY ?? `sk-gw-v1-${crypto.randomUUID()}${crypto.randomUUID()}`;
const platform = createWebPlatform();

const gateway = createGateway({
  providers: [
    createOpenAiProvider({
      slug: 'openai',
      name: 'OpenAI',
      baseUrl: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
      apiKey: process.env.OPENAI_API_KEY,
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
  bootstrapKeys: [{ key, kind: 'api', name: 'example' }],
});

const handle = toFetchHandler(gateway, { mountPath: '/ai' });
const app = new Hono();
app.get('/', (context) => context.text('My own page'));
// Deno, Bun and Next.js hand `handle` their requests just so.
app.all('/ai/*', (context) => handle(context.req.raw));

const server = serve(
  { fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' },
  ({ port }) => {
    process.stdout.write(`listening on http://127.0.0.1:${port}/ai/api/v1\n`);
    if (process.env.GATEWAY_KEY === undefined) process.stdout.write(`API key: ${key}\n`);
  },
);

const stop = async () => {
  await gateway.close();
  server.close();
  server.closeIdleConnections();
};
process.once('SIGTERM', () => void stop());
