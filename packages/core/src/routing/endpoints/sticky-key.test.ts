import { expect, test } from 'vitest';

import { createRoutedGateway, endpointsAt } from '../../../../../test/support/gateways/routed-gateway.ts';
import type { ModelDefinition } from '../../wire/model-definition.ts';

const THREE = { cheap: {}, middle: {}, dear: {} };
const CHAT: ModelDefinition = { id: 'r/chat', endpoints: endpointsAt({ cheap: 1, middle: 2, dear: 3 }) };

test('keeps a session on one endpoint, over many sessions each by its share', async () => {
  const { askedFor } = createRoutedGateway(THREE, [CHAT]);
  const counts: Record<string, number> = {};
  for (let session = 0; session < 100; session += 1) {
    const [body, headers] =
      session % 2 === 0 ? [{ session_id: `s${session}` }, {}] : [{}, { 'x-session-id': `s${session}` }];
    const asked = [await askedFor(body, headers), await askedFor(body, headers), await askedFor(body, headers)].flat();
    expect(new Set(asked).size).toBe(1);
    counts[asked[0] ?? ''] = (counts[asked[0] ?? ''] ?? 0) + 1;
  }
  expect(counts['cheap']).toBeGreaterThan(50);
  expect(counts['cheap']).toBeLessThan(95);
});

const CACHING: ModelDefinition = {
  id: 'r/chat',
  endpoints: endpointsAt({ cheap: 1, middle: 1, dear: 1 }).map((endpoint) => ({
    ...endpoint,
    pricing: { ...endpoint.pricing, input_cache_read: '0.0000001' },
  })),
};
const opening = (text: string): object[] => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: text },
];

test.each<[string, ModelDefinition, (round: number) => Record<string, unknown>, number]>([
  ['the session before the cache key', CHAT, (round) => ({ session_id: 's', prompt_cache_key: `k${round}` }), 1],
  [
    'the cache key before the opening',
    CACHING,
    (round) => ({ prompt_cache_key: 'k', messages: opening(`q${round}`) }),
    1,
  ],
  [
    'the opening, however the conversation goes on',
    CACHING,
    (round) => ({
      messages: [...opening('q'), { role: 'assistant', content: `a${round}` }, { role: 'user', content: `${round}` }],
    }),
    1,
  ],
  ['another endpoint for another opening', CACHING, (round) => ({ messages: opening(`q${round}`) }), 3],
  [
    'no opening where cached tokens cost as much',
    { ...CHAT, endpoints: endpointsAt({ cheap: 1, middle: 1, dear: 1 }) },
    () => ({ messages: opening('q') }),
    3,
  ],
])('keeps to %s', async (_name, model, bodyOf, endpoints) => {
  const { askedFor } = createRoutedGateway(THREE, [model]);
  const asked = new Set<string>();
  for (let round = 0; round < 30; round += 1) for (const slug of await askedFor(bodyOf(round))) asked.add(slug);
  expect(asked.size).toBe(endpoints);
});

test('goes by order alone where there is one, whatever the session', async () => {
  const { askedFor } = createRoutedGateway(THREE, [CHAT]);
  for (const slug of Object.keys(THREE)) {
    expect(await askedFor({ session_id: 's', provider: { order: [slug] } })).toEqual([slug]);
  }
});

test('moves a session while its endpoint is out of order, and back afterwards', async () => {
  const { askedFor, behave, platform } = createRoutedGateway(THREE, [CHAT]);
  const session = { session_id: 'one session' };
  const [home = ''] = await askedFor(session);
  behave(home, 'provider_unavailable');
  expect((await askedFor(session)).length).toBe(2);
  const away = await askedFor(session);
  expect(away).not.toContain(home);
  expect(await askedFor(session)).toEqual(away);
  behave(home, 'complete');
  platform.oversleep(31_000);
  expect(await askedFor(session)).toEqual([home]);
});
