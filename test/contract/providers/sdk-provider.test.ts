import { createOpenAI } from '@ai-sdk/openai';
import { createGateway, type Transport } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { type ProviderNeed, providerCases, type ProviderSubject } from '@model-gateway/core/testing';
import { createGuardedTransport } from '@model-gateway/node/guarded';
import { listen } from '@model-gateway/node/http';
import { createUndiciTransport } from '@model-gateway/node/undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createAiSdkProvider } from '../../support/providers/ai-sdk-provider.ts';
import { startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const toEvent = (delta: object, more: object = {}, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
const called = { name: 'get_weather', arguments: '{"city":"Paris"}' };
const toCall = (part: object): object => ({ tool_calls: [{ index: 0, ...part }] });

const create = (transport: Transport, baseURL = 'https://up.example/v1') =>
  createAiSdkProvider({
    slug: 'sdk',
    transport,
    toModel: (name, fetch) => createOpenAI({ apiKey: 'key-of-sdk', baseURL, fetch }).chat(name),
  });

const subject: ProviderSubject = {
  create,
  completion: {
    whole: JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello you' }, finish_reason: 'stop' }],
      usage,
    }),
    events: [
      toEvent({ role: 'assistant', content: 'Hello ' }),
      toEvent({ content: 'you' }),
      toEvent({}, { usage }, 'stop'),
      'data: [DONE]\n\n',
    ],
    expected: { content: 'Hello you', finishReason: 'stop', usage },
  },
  furtherCompletions: [
    {
      whole: JSON.stringify({
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c1', type: 'function', function: called }],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage,
      }),
      events: [
        toEvent(toCall({ id: 'c1', type: 'function', function: { name: called.name, arguments: '{"city"' } })),
        toEvent(toCall({ function: { arguments: ':"Paris"}' } })),
        toEvent({}, { usage }, 'tool_calls'),
        'data: [DONE]\n\n',
      ],
      expected: {
        content: '',
        toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
        finishReason: 'tool_calls',
        usage,
      },
    },
  ],
  refusals: [
    { status: 429, body: '{"error":{"message":"Slow down"}}', code: 'rate_limit_exceeded' },
    { status: 400, body: '{"error":{"message":"No"}}', code: 'invalid_request' },
  ],
};

const LACKS: readonly (ProviderNeed | undefined)[] = ['chatWhole', 'readsPieces'];

describe('a provider over a package of the AI SDK, which reads ahead', () => {
  test.for(providerCases.filter(({ needs }) => !LACKS.includes(needs)).map((one) => [one.title, one] as const))(
    '%s',
    ([, one]) => one.run(subject),
  );

  test('is asked over a real connection by the transport of the gateway, and closes it when its client leaves', async () => {
    const up = await startScriptedUpstream();
    onTestFinished(() => up.close());
    const gateway = createGateway({
      store: createMemoryStore(),
      providers: [create(createUndiciTransport(), up.baseUrl)],
      models: ['text', 'held'].map((name) => ({
        id: `acme/${name}`,
        endpoints: [{ provider: 'sdk', providerModel: name }],
      })),
      bootstrapKeys: [{ key: 'sk-app', kind: 'api', name: 'app' }],
    });
    const { url, close } = await listen(gateway, { port: 0 });
    onTestFinished(() => close());
    const ask = (model: string, stream: boolean, signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-app', 'content-type': 'application/json' },
        body: JSON.stringify({ model: `acme/${model}`, messages: [{ role: 'user', content: 'Hi' }], stream }),
        signal: signal ?? null,
      });
    for (const stream of [false, true]) {
      const text = await (await ask('text', stream)).text();
      expect(text).toContain('"prompt_tokens":12');
      expect(text).toContain('stop');
    }
    const leaving = new AbortController();
    const calling = up.nextCall();
    const response = await ask('held', true, leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    expect(await (await calling).closed).toBe(false);
    expect(up.calls.every(({ headers }) => headers.authorization === 'Bearer key-of-sdk')).toBe(true);
  });

  test('cannot reach addresses that the transport refuses', async () => {
    const up = await startScriptedUpstream();
    onTestFinished(() => up.close());
    const chat = create(createGuardedTransport(), up.baseUrl).chat?.({
      generationId: 'gen-1',
      request: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
      providerModel: 'text',
      stream: false,
      supportedParameters: null,
      signal: new AbortController().signal,
      timeouts: { headersMs: 5000, nonStreamMs: 5000, idleMs: 5000, totalMs: 5000 },
    });
    await expect(chat?.[Symbol.asyncIterator]().next()).rejects.toThrow(/address/);
    expect(up.calls).toEqual([]);
  });
});
