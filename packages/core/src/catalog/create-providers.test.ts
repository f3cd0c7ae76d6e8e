import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { expect, onTestFinished, test } from 'vitest';

import { startScriptedUpstream } from '../../../../test/support/upstreams/scripted-upstream.ts';
import { createFetchTransport } from '../foundation/fetch-transport.ts';
import type { Transport } from '../foundation/transport.ts';
import { createGateway } from '../gateway.ts';
import { toFetchHandler } from '../http/fetch-handler.ts';
import { createProviders } from './create-providers.ts';

const KEY = 'sk-app';

/** Sends every request to a scripted upstream, whatever its address. */
async function openTransport(): Promise<Transport & { readonly urls: string[] }> {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  const inner = createFetchTransport();
  const urls: string[] = [];
  return {
    urls,
    send(request) {
      urls.push(request.url);
      return inner.send({ ...request, url: upstream.baseUrl + new URL(request.url).pathname.replace(/^\/v1/, '') });
    },
  };
}

async function ask(created: Awaited<ReturnType<typeof createProviders>>, body: object): Promise<Response> {
  const gateway = createGateway({
    ...created,
    store: createMemoryStore(),
    bootstrapKeys: [{ key: KEY, kind: 'api', name: 'app' }],
  });
  onTestFinished(() => gateway.close());
  return toFetchHandler(gateway)(
    new Request('https://app.example/api/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

test('the keys of the environment make providers with the models and prices of the catalog, and a chat is answered', async () => {
  const transport = await openTransport();
  const created = await createProviders(
    { OPENAI_API_KEY: ' sk-1\n', ANTHROPIC_API_KEY: 'sk-2', OTHER: 'x' },
    { transport },
  );
  expect(created.providers.map(({ slug, name }) => [slug, name])).toEqual([
    ['openai', 'OpenAI'],
    ['anthropic', 'Anthropic'],
  ]);
  expect(new Set(created.models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider)))).toEqual(
    new Set(['openai', 'anthropic']),
  );
  const messages = [{ role: 'user', content: 'Hi' }];
  const response = await ask(created, { model: 'openai/gpt-4o-mini', messages });
  expect(await response.json()).toMatchObject({ provider: 'OpenAI', usage: { cost: expect.any(Number) } });
  expect(transport.urls).toEqual(['https://api.openai.com/v1/chat/completions']);
});

test('a customer of Azure names an address, too', async () => {
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: 'https://me.openai.azure.com' };
  const { providers } = await createProviders(env);
  expect(providers.map(({ slug }) => slug)).toEqual(['azure']);
  await expect(createProviders({ AZURE_OPENAI_API_KEY: 'k' })).rejects.toThrow(
    'needs AZURE_OPENAI_ENDPOINT, an address like',
  );
});

test('a cloud without a place names its variables, and no field of a config file', async () => {
  const bedrock = createProviders({ AWS_BEARER_TOKEN_BEDROCK: 'k' });
  await expect(bedrock).rejects.toThrow(/needs a region: AWS_REGION$/);
});

test('a token of Entra ID is sent to Azure as a bearer token, and not in the header of keys', async () => {
  const sent: unknown[] = [];
  const transport: Transport = {
    send({ url, headers }) {
      sent.push([url, headers?.['authorization'], headers?.['api-key']]);
      return Promise.reject(new Error('seen'));
    },
  };
  const { providers } = await createProviders(
    { AZURE_OPENAI_API_KEY: 'k-1', AZURE_OPENAI_ENDPOINT: 'https://me.openai.azure.com' },
    { accessTokens: { azure: () => 'entra-1' }, transport },
  );
  const { signal } = new AbortController();
  const embedding = { request: { model: 'm', input: 'Hi' }, providerModel: 'm', signal, timeoutMs: 1000 };
  await expect(providers[0]?.embeddings?.(embedding)).rejects.toThrow('seen');
  expect(sent).toEqual([['https://me.openai.azure.com/openai/v1/embeddings', 'Bearer entra-1', undefined]]);
  await expect(createProviders({}, { accessTokens: { azur: () => '' } })).rejects.toThrow('no preset "azur"');
});

test.each([
  [{}, undefined, 'No key of a provider is set. Set OPENAI_API_KEY'],
  [{ OPENAI_API_KEY: '  ' }, undefined, 'No key of a provider is set'],
  [{}, ['openai'], 'The preset "openai" needs OPENAI_API_KEY'],
  [{}, ['opnai'], 'There is no preset "opnai". There are: '],
])('with %j and only %j it says what is missing', async (env, only, message) => {
  await expect(createProviders(env, { only })).rejects.toThrow(message);
});

test('no film is fetched from an address that a provider names, unless the host says how', async () => {
  const { providers } = await createProviders({ REPLICATE_API_TOKEN: 'k' });
  const fetching = providers[0]?.video?.fetch({
    job: { upstreamId: 'https://api.replicate.com/v1/predictions/1', providerModel: 'm' },
    index: 0,
    output: { url: 'http://10.0.0.1/film.mp4' },
    headers: {},
    signal: new AbortController().signal,
    timeoutMs: 1000,
  });
  await expect(fetching).rejects.toThrow('pass `downloads` to `createProviders`');
});
