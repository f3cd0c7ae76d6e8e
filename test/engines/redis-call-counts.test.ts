import type { RedisShared } from '@model-gateway/redis';
import { expect, onTestFinished, test } from 'vitest';

import type { CallLimitList } from '../../packages/core/src/wire/limits.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../support/providers/keyed-provider.ts';
import { missingRedis } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

const MODELS = [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }];
const RULES = [{ provider: '*', callsUnderWay: 1, queue: { length: 5, seconds: 60 } }];

/** A gateway whose provider never responds. */
async function openGateway({ takeLease, callCounts }: RedisShared) {
  const { provider, asked } = await createKeyedProvider('acme', keysNamed('one'), () => new Promise(() => undefined));
  const core = createCoreGateway([provider], {
    models: MODELS,
    callLimits: { rules: RULES, takeLease, sharedCounts: callCounts },
  });
  const clients = new AbortController();
  onTestFinished(() => clients.abort());
  const call = (): void => void core.chat({}, { signal: clients.signal }).catch(() => undefined);
  const list = async (): Promise<CallLimitList> => {
    const response = await core.get('/admin/v1/call-limits', MANAGEMENT_KEY);
    expect(response.status).toBe(200);
    return jsonOf(response) as unknown as CallLimitList;
  };
  return { asked, call, list };
}

test.skipIf(missingRedis)(
  'each of two gateways at one Redis tells the calls of both, and its own while Redis is away',
  async () => {
    const redis = await startOwnRedis();
    const [one, two] = await Promise.all([1, 2].map(() => openRedisShared({ url: redis.url, whenDown: 'open' })));
    const first = await openGateway(one as RedisShared);
    first.call();
    await eventually(() => expect(first.asked).toHaveLength(1));
    const second = await openGateway(two as RedisShared);
    second.call();
    second.call();

    const places = [{ provider: 'acme', key: null, model: null, under_way: 1, waiting: 2 }];
    const ofBoth = { instances: 2, missing: null, data: [{ provider: '*', under_way: 1, waiting: 2, places }] };
    for (const { list } of [first, second]) await eventually(async () => expect(await list()).toMatchObject(ofBoth));
    expect(second.asked).toEqual([]);

    await redis.kill();
    await eventually(async () => expect((await first.list()).instances).toBe(1));
    const { missing, data } = await first.list();
    expect(data).toMatchObject([{ under_way: 1, waiting: 0 }]);
    expect(missing).toMatch(/^Counted at this instance alone: Redis at .* /);

    // What both told is gone with it, and is told again.
    await redis.start();
    await eventually(async () => expect(await second.list()).toMatchObject({ instances: 2, missing: null }));
    // One that ends is not counted any more.
    await one?.close();
    await eventually(async () => expect((await second.list()).instances).toBe(1));
    expect((await second.list()).missing).toBeNull();
  },
  60_000,
);
