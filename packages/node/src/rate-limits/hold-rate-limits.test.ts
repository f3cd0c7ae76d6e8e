import {
  type ChatChunk,
  createKeyRecord,
  type CreateRateCounter,
  GatewayError,
  type GatewayResponse,
  type RateLimitRule,
} from '@model-gateway/core';
import type { ProviderKeyOptions } from '@model-gateway/core/providers/create-provider';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import {
  type CoreGateway,
  createCoreGateway,
  createScriptedProvider,
  jsonOf,
} from '../../../../test/support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../../../../test/support/providers/keyed-provider.ts';
import { createScriptedVideos } from '../../../../test/support/videos/scripted-videos.ts';
import { createMemoryRateCounter } from './create-memory-rate-counter.ts';

// The counter has the clock of the process.
beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const COMPLETION: readonly ChatChunk[] = [
  {
    choices: [
      { index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 },
  },
];

function createLimited(rules: readonly Partial<RateLimitRule>[], createCounter = createMemoryRateCounter): CoreGateway {
  const providers = ['acme', 'beta'].map((slug) => createScriptedProvider(slug, [COMPLETION]));
  const full = rules.map((rule) => ({ key: '*', model: '*', requestsPerMinute: null, tokensPerMinute: null, ...rule }));
  return createCoreGateway(providers, { rateLimits: { rules: full, createCounter } });
}

const statuses = async (calls: readonly (() => Promise<GatewayResponse>)[]): Promise<number[]> => {
  const found: number[] = [];
  for (const call of calls) found.push((await call()).status);
  return found;
};

async function issueKey({ platform, store }: CoreGateway, name: string) {
  const { key, record } = await createKeyRecord({ platform, name, kind: 'api', limitUsd: null });
  await store.keys.insert(record);
  return { headers: { authorization: `Bearer ${key}` }, hash: record.hash };
}

test('refuses a call beyond the limit before it goes anywhere, and says when to come back', async () => {
  const core = createLimited([{ requestsPerMinute: 2 }]);
  const now = core.platform.now();
  expect(await statuses([core.chat, core.chat])).toEqual([200, 200]);
  vi.advanceTimersByTime(15_500);
  const refused = await core.chat();
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({
    'retry-after': '45',
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(now + 44_500),
  });
  expect(jsonOf(refused)['error']).toEqual({
    code: 429,
    message: 'Rate limit exceeded: this key may have 2 requests a minute; try again in 45 s',
    metadata: { error_type: 'rate_limit_exceeded' },
  });
  expect(core.store.appendCalls()).toBe(2);
  vi.advanceTimersByTime(44_500);
  expect((await core.chat()).status).toBe(200);
});

test('tells nothing of limits in a response that is within them', async () => {
  const core = createLimited([{ requestsPerMinute: 1 }]);
  expect(Object.keys((await core.chat()).headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
});

test('holds streamed calls to the same limit', async () => {
  const core = createLimited([{ requestsPerMinute: 1 }]);
  const stream = () => core.chat({ stream: true });
  expect(await statuses([stream, stream])).toEqual([200, 429]);
});

test('counts every key by itself where a rule is for all', async () => {
  const core = createLimited([{ requestsPerMinute: 1 }]);
  const other = await issueKey(core, 'other');
  const callAs = () => core.chat({}, { headers: other.headers });
  expect(await statuses([core.chat, core.chat, callAs, callAs])).toEqual([200, 429, 200, 429]);
});

test.each(['name', 'hash'])('holds a key that a rule gives by its %s, and no other', async (by) => {
  const plain = createLimited([]);
  const { hash } = await issueKey(plain, 'busy');
  const core = createLimited([{ key: by === 'name' ? 'busy' : hash, requestsPerMinute: 1 }]);
  // The same randomness makes the same key.
  const busy = await issueKey(core, 'busy');
  expect(busy.hash).toBe(hash);
  const callAs = () => core.chat({}, { headers: busy.headers });
  expect(await statuses([callAs, callAs, core.chat, core.chat])).toEqual([200, 429, 200, 200]);
});

test('holds the model of a rule, by whatever name it is asked for, and counts no other', async () => {
  const core = createLimited([{ model: 'acme/other', requestsPerMinute: 1 }]);
  const other = () => core.chat({ model: 'acme/other' });
  const variant = () => core.chat({ model: 'acme/other:nitro', provider: {} });
  expect(await statuses([core.chat, core.chat, other, variant])).toEqual([200, 200, 200, 429]);
});

test('holds all rules that match', async () => {
  const core = createLimited([{ requestsPerMinute: 3 }, { model: 'acme/chat', requestsPerMinute: 1 }]);
  const other = () => core.chat({ model: 'acme/other' });
  expect(await statuses([core.chat, core.chat, other, other])).toEqual([200, 429, 200, 429]);
});

test('lets calls begin until the tokens of a minute are used up', async () => {
  const core = createLimited([{ tokensPerMinute: 100 }]);
  expect(await statuses([core.chat, core.chat])).toEqual([200, 200]);
  const refused = await core.chat();
  expect([refused.status, refused.headers['x-ratelimit-limit']]).toEqual([429, '100']);
  expect((jsonOf(refused)['error'] as { message: string }).message).toContain('100 tokens a minute');
  vi.advanceTimersByTime(60_000);
  expect((await core.chat()).status).toBe(200);
});

test('does not count calls that are wrong, or that no provider can serve', async () => {
  const core = createLimited([{ requestsPerMinute: 1 }]);
  const wrong = () => core.chat({ messages: [] });
  const unknown = () => core.chat({ model: 'acme/unknown' });
  expect(await statuses([wrong, unknown, core.chat])).toEqual([400, 400, 200]);
});

test('holds video to the limits, too', async () => {
  const core = createCoreGateway([createScriptedVideos().provider], {
    models: [
      {
        id: 'acme/film',
        architecture: { input_modalities: ['text'], output_modalities: ['video'] },
        endpoints: [{ provider: 'film', providerModel: 'film-1', pricing: { video_second: '0.1' } }],
      },
    ],
    rateLimits: {
      rules: [{ key: '*', model: 'acme/film', requestsPerMinute: 1, tokensPerMinute: null }],
      createCounter: createMemoryRateCounter,
    },
  });
  const film = () => core.post('/api/v1/videos', { model: 'acme/film', prompt: 'a fox', duration: 4 });
  expect((await film()).status).toBe(202);
  const refused = await film();
  expect([refused.status, refused.headers['x-ratelimit-limit']]).toEqual([429, '1']);
});

test('lets calls pass when counting fails, and logs that once in a while', async () => {
  const fail = () => Promise.reject(new Error('the counter is away'));
  const away: CreateRateCounter = () => ({ take: fail, look: fail, add: fail });
  const core = createLimited([{ requestsPerMinute: 1, tokensPerMinute: 1 }], away);
  expect(await statuses([core.chat, core.chat, core.chat])).toEqual([200, 200, 200]);
  const said = () => core.logged.filter(({ line }) => line.includes('rate limits cannot be counted')).length;
  expect(said()).toBe(1);
  core.platform.oversleep(10_000);
  await core.chat();
  expect(said()).toBe(2);
});

test('refuses calls when the counter says so because it cannot count, and goes on when it can', async () => {
  let isAway = true;
  const createCounter: CreateRateCounter = (options) => {
    const counter = createMemoryRateCounter(options);
    const take = (id: string) => {
      if (isAway) throw new GatewayError('provider_overloaded', 'not now', { retryAfterSeconds: 1 });
      return counter.take(id);
    };
    return { ...counter, take };
  };
  const core = createLimited([{ requestsPerMinute: 1 }], createCounter);
  const refused = await core.chat();
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(core.store.appendCalls()).toBe(0);
  isAway = false;
  expect(await statuses([core.chat, core.chat])).toEqual([200, 429]);
});

test('sends no more calls and tokens a minute with a key of a provider than it may have', async () => {
  const [one, two, three] = keysNamed('one', 'two', 'three') as [
    ProviderKeyOptions,
    ProviderKeyOptions,
    ProviderKeyOptions,
  ];
  const keys = [
    { ...one, requestsPerMinute: 3 },
    { ...two, tokensPerMinute: 100 },
    { ...three, requestsPerMinute: 1 },
  ];
  const { provider, asked } = await createKeyedProvider('acme', keys);
  const models = [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }];
  const rateLimits = { rules: [], createCounter: createMemoryRateCounter };
  const { chat } = createCoreGateway([provider], { models, rateLimits });
  const calls = Array.from({ length: 8 }, () => () => chat());
  // Each call has 50 tokens, so that the second key is at its limit after two.
  expect(await statuses(calls)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  const count = (key: string) => asked.filter((sent) => sent === key).length;
  expect(['sk-of-one', 'sk-of-two', 'sk-of-three'].map(count)).toEqual([3, 2, 1]);
  expect(() => createCoreGateway([provider], { models })).toThrow('needs rateLimits.createCounter');
});
