import { describe, expect, test } from 'vitest';

import { jsonOf } from '../../../../test/support/gateways/core-gateway.ts';
import { createSetupGateway, type SetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const KEY = 'key-of-cohere-1234567890';
const PATH = '/admin/v1/setup/providers';
const COHERE = { slug: 'cohere', package: '@ai-sdk/cohere', apiKey: KEY };
const WHOLE = JSON.stringify({
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
  finish_reason: 'COMPLETE',
  usage: { billed_units: { input_tokens: 3, output_tokens: 1 }, tokens: { input_tokens: 3, output_tokens: 1 } },
});
const JSON_TYPE = { 'content-type': 'application/json' };

const createWithUpstream = (config: object = {}): Promise<SetupGateway> =>
  createSetupGateway({ config, upstream: createReplayTransport({ headers: JSON_TYPE, pieces: [WHOLE] }) });

describe('a package that is set up', () => {
  test('is called at once with its key, which is sealed, hidden and never shown again', async () => {
    const gateway = await createWithUpstream();
    const made = await gateway.call('POST', PATH, { ...COHERE, options: { region: 'eu' } });
    expect(made).toMatchObject({
      status: 201,
      body: {
        data: {
          status: 'ready',
          address: '@ai-sdk/cohere',
          key_hint: '…7890',
          settings: { package: '@ai-sdk/cohere', options: { region: 'eu' } },
        },
      },
    });
    const endpoints = [{ provider: 'cohere', providerModel: 'command-a' }];
    await gateway.dataOf('POST', '/admin/v1/setup/models', { id: 'acme/chat', endpoints });
    expect(JSON.stringify(jsonOf(await gateway.chat({ model: 'acme/chat' })))).toContain('"content":"Hello"');
    const { url, headers } = gateway.upstream.latest().request;
    expect(url).toBe('https://api.cohere.com/v2/chat');
    expect(headers['authorization']).toBe(`Bearer ${KEY}`);
    const kept = [made.body, await gateway.dataOf('GET', PATH), await gateway.store.providers.list(), gateway.logged];
    expect(JSON.stringify(kept)).not.toContain(KEY);
    expect(gateway.hidden).toContain(KEY);
  });

  test('that is not installed is refused with the command', async () => {
    const gateway = await createWithUpstream();
    const { status, body } = await gateway.call('POST', PATH, {
      slug: 'p',
      package: '@ai-sdk/perplexity',
      apiKey: KEY,
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('npm install @ai-sdk/perplexity');
  });

  test.for([
    ['is none of the AI SDK', { package: 'express', apiKey: KEY }, 'no package of the AI SDK'],
    ['is a path', { package: '../../etc/x', apiKey: KEY }, 'must be the name of a package'],
    ['has no key', { package: '@ai-sdk/cohere' }, 'gets no key from the environment'],
    ['has its key among the options', { ...COHERE, options: { apiToken: KEY } }, 'give it as apiKey'],
    [
      'has files of the machine in objects',
      { ...COHERE, options: { googleAuth: { keyFile: '/etc/passwd' } } },
      'options',
    ],
    ['has a wire too', { ...COHERE, wire: 'openai' }, 'is not for a provider that a'],
    ['discovers models', { ...COHERE, discoverModels: true }, 'must be false'],
  ] as const)('that %s is refused', async ([, provider, why]) => {
    const gateway = await createWithUpstream();
    const { status, body } = await gateway.call('POST', PATH, { slug: 'p', ...provider });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(why);
  });

  test('without a key never gets the one of the environment', async () => {
    process.env['COHERE_API_KEY'] = 'key-of-the-operator';
    try {
      const gateway = await createWithUpstream();
      await gateway.dataOf('POST', PATH, { ...COHERE, apiKey: null });
      const endpoints = [{ provider: 'cohere', providerModel: 'command-a' }];
      await gateway.dataOf('POST', '/admin/v1/setup/models', { id: 'acme/chat', endpoints });
      await gateway.chat({ model: 'acme/chat' });
      expect(gateway.upstream.latest().request.headers['authorization']).toBe('Bearer none');
    } finally {
      delete process.env['COHERE_API_KEY'];
    }
  });

  test('does not take its saved key to another package or address', async () => {
    const gateway = await createWithUpstream();
    await gateway.dataOf('POST', PATH, COHERE);
    for (const change of [
      { package: '@ai-sdk/groq' },
      { options: { baseURL: 'https://evil.example' } },
      { baseUrl: 'https://evil.example' },
      { package: null, wire: 'openai', baseUrl: 'https://evil.example' },
    ]) {
      const { status, body } = await gateway.call('PATCH', `${PATH}/cohere`, change);
      expect({ status, text: JSON.stringify(body) }).toMatchObject({
        status: 400,
        text: expect.stringContaining('given for another server') as string,
      });
    }
    expect((await gateway.call('PATCH', `${PATH}/cohere`, { name: 'Cohere' })).status).toBe(200);
  });

  test('is tested before it is saved, with a call where a model is named', async () => {
    const gateway = await createWithUpstream();
    const test = (provider: object, model?: string) =>
      gateway.call('POST', '/admin/v1/setup/provider-tests', { provider, model });
    expect((await test(COHERE, 'command-a')).body).toMatchObject({
      data: {
        ok: true,
        findings: [
          { layer: 'package', status: 'ok' },
          { layer: 'call', status: 'ok', detail: 'command-a responded (3 + 1 tokens)' },
        ],
        models: null,
      },
    });
    expect((await test({ ...COHERE, package: '@ai-sdk/perplexity' })).body).toMatchObject({
      data: { ok: false, findings: [{ layer: 'package', status: 'failed' }] },
    });
  });
});
