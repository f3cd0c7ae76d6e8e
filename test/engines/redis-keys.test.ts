import { describe, expect, test } from 'vitest';

import { createCoreGateway, MANAGEMENT_KEY } from '../support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../support/providers/keyed-provider.ts';
import { missingRedis } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

const MODELS = [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }];

async function openInstance(url: string) {
  const shared = await openRedisShared({ url, whenDown: 'open' });
  const upstream = await createKeyedProvider('acme', keysNamed('one', 'two'));
  return { ...upstream, core: createCoreGateway([upstream.provider], { models: MODELS, shared: shared.parts }) };
}

type Instance = Awaited<ReturnType<typeof openInstance>>;

const keyStates = async ({ core }: Instance): Promise<Record<string, string>> => {
  const { body } = await core.get('/admin/v1/providers', MANAGEMENT_KEY);
  const { data } = JSON.parse(body as string) as { data: { keys: { name: string; state: string }[] }[] };
  return Object.fromEntries((data[0]?.keys ?? []).map(({ name, state }) => [name, state]));
};

/** Calls until this key has been asked. */
async function callUntilAsked({ core, asked }: Instance, key: string): Promise<void> {
  while (!asked.includes(key)) expect((await core.chat()).status).toBe(200);
}

describe.skipIf(missingRedis)('Two instances with one Redis', () => {
  test('let a key rest that was refused at one of them, to the second', async () => {
    const { url } = await startOwnRedis();
    const [one, other] = [await openInstance(url), await openInstance(url)];
    one.answer('sk-of-one', { status: 429, headers: { 'retry-after': '30' } });
    await callUntilAsked(one, 'sk-of-one');
    await eventually(async () => expect(await keyStates(other)).toEqual({ one: 'resting', two: 'ready' }));
    // It would be served there: it is not asked, on the advice alone.
    for (let i = 0; i < 20; i += 1) expect((await other.core.chat()).status).toBe(200);
    expect(other.asked).not.toContain('sk-of-one');
    await other.core.platform.advance(29_000);
    expect(await keyStates(other)).toMatchObject({ one: 'resting' });
    await other.core.platform.advance(1000);
    expect(await keyStates(other)).toMatchObject({ one: 'ready' });
  });

  test('use no key that was revoked at one of them, and use it again when management says so at one', async () => {
    const { url } = await startOwnRedis();
    const [one, other] = [await openInstance(url), await openInstance(url)];
    one.answer('sk-of-two', { status: 401 });
    await callUntilAsked(one, 'sk-of-two');
    await eventually(async () => expect(await keyStates(other)).toEqual({ one: 'ready', two: 'disabled' }));
    one.answer('sk-of-two', 'serve');
    await other.core.post(
      '/admin/v1/providers/acme/keys/two/enable',
      {},
      {
        headers: { authorization: `Bearer ${MANAGEMENT_KEY}` },
      },
    );
    await eventually(async () => expect(await keyStates(one)).toEqual({ one: 'ready', two: 'ready' }));
  });

  test('learn of it when they start later', async () => {
    const { url } = await startOwnRedis();
    const one = await openInstance(url);
    one.answer('sk-of-two', { status: 402 });
    await callUntilAsked(one, 'sk-of-two');
    const later = await openInstance(url);
    await eventually(async () => {
      await one.core.platform.advance(2000);
      expect(await keyStates(later)).toMatchObject({ two: 'disabled' });
    });
  });
});
