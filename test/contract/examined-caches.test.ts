import { expect, test } from 'vitest';

import { startReceiver } from '../support/broadcast/receiver.ts';
import {
  type AgentCall,
  type CachingGateway,
  createCachingGateway,
  NANO,
  playCalls,
} from '../support/gateways/caching-provider.ts';
import { jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';

const WORDS = 'a river that runs past old mills '.repeat(400);
const mark = { type: 'ephemeral' };
const call = (system: string, restMs: number): AgentCall => ({
  app: 'https://app.example',
  session: 'session-1',
  restMs,
  body: {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: WORDS, cache_control: mark }] },
    ],
  },
});
/** A first call, one that is read, one with another system text. */
const CALLS = [call('Be kind.', 0), call('Be kind.', 1000), call('Be brief.', 1000)];

const readMetrics = async ({ core }: CachingGateway): Promise<string[]> => {
  const { body } = await core.get('/metrics', MANAGEMENT_KEY);
  return (body as string).split('\n').filter((line) => line.startsWith('model_gateway_cache_'));
};

test('metrics have the calls by why they missed, the tokens and the money, once they are examined', async () => {
  const gateway = createCachingGateway(false, { cacheCauses: true });
  await playCalls(gateway, CALLS);
  await expect
    .poll(async () => {
      await gateway.core.platform.advance(1);
      return (await readMetrics(gateway)).filter((line) => line.startsWith('model_gateway_cache_calls'));
    })
    .toEqual([
      'model_gateway_cache_calls_total{cause="first_call"} 1',
      'model_gateway_cache_calls_total{cause="hit"} 1',
      'model_gateway_cache_calls_total{cause="system_changed"} 1',
    ]);
  const lines = await readMetrics(gateway);
  const valueOf = (name: string): number => Number(lines.find((line) => line.includes(name))?.split(' ')[1]);
  const missed = gateway.counted[1]?.read ?? 0;
  expect(missed).toBeGreaterThan(3000);
  expect(valueOf('missed_tokens_total{cause="system_changed"}')).toBe(missed);
  expect(Math.round(valueOf('missed_usd_total{cause="system_changed"}') * 1e9)).toBe(
    missed * (NANO.write5m - NANO.read),
  );
  expect(valueOf('unexamined_calls_total')).toBe(0);
});

test('nothing is examined, and no metric is there, unless it is switched on', async () => {
  const gateway = createCachingGateway(false);
  await playCalls(gateway, CALLS);
  expect(await readMetrics(gateway)).toEqual([]);
});

test.each([
  [true, NANO.write5m - NANO.read],
  [false, undefined],
])(
  'a destination is told why a call missed the cache; what that cost only where it is told costs (%s)',
  async (tellsCost, nano) => {
    const receiver = await startReceiver();
    const gateway = createCachingGateway(false, { cacheCauses: true });
    const made = await gateway.core.post(
      '/api/v1/observability/destinations',
      {
        type: 'webhook',
        name: 'd',
        config: { url: receiver.url },
        broadcast_generation_cost: tellsCost,
        privacy_mode: true,
      },
      { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } },
    );
    expect([made.status, jsonOf(made)['error']]).toEqual([201, undefined]);
    await playCalls(gateway, CALLS);
    const attributes = async (): Promise<Record<string, unknown>[]> => {
      await gateway.core.platform.advance(1000);
      return receiver.requests.flatMap(({ body }) =>
        [...body.toString().matchAll(/"gateway\.cache\.(\w+)","value":\{"\w+":"?([\w.-]+)/g)].map(
          ([, name = '', value]) => ({
            [name]: value,
          }),
        ),
      );
    };
    await expect.poll(async () => (await attributes()).filter((one) => 'cause' in one)).toHaveLength(3);
    const found = await attributes();
    expect(found.flatMap(({ cause }) => cause ?? [])).toEqual(['first_call', 'hit', 'system_changed']);
    const missed = gateway.counted[1]?.read ?? 0;
    expect(found).toContainEqual({ missed_tokens: String(missed) });
    const costs = found.flatMap(({ missed_cost: cost }) =>
      cost === undefined ? [] : [Math.round(Number(cost) * 1e9)],
    );
    expect(costs.at(-1)).toBe(nano === undefined ? undefined : missed * nano);
  },
);
