import { randomBytes } from 'node:crypto';

import type { Transport } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createEchoTransport, ECHO_MODELS } from '../../../../test/support/gateways/echo-models.ts';
import type { GatewayOptions } from '../options.ts';
import type { StoredRerun, StoredRerunItem } from '../stores/reruns.ts';

type Options = Parameters<typeof createCoreGateway>[1] & Pick<GatewayOptions, 'platform'>;

/** A gateway whose upstream echoes; as often as is said, it does not respond for the other model. */
function startGateway(silences: number, options: Options = {}) {
  const echo = createEchoTransport(({ model, messages }) => `${model}: ${messages.at(-1)?.content ?? ''}`);
  const asked = { silent: 0, other: 0 };
  const transport: Transport = {
    send(request) {
      if (typeof request.body === 'string' && request.body.includes('"other"')) {
        asked.other += 1;
        if (asked.silent < silences) {
          asked.silent += 1;
          const { signal } = request;
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        }
      }
      return echo.send(request);
    },
  };
  const core = createCoreGateway(transport, { models: ECHO_MODELS, timeouts: { drainMs: 0 }, ...options });
  return {
    ...core,
    asked,
    async begin(): Promise<string> {
      const chat = await core.chat({ messages: [{ role: 'user', content: 'one' }], max_tokens: 100 });
      const body = {
        set: { generation_ids: [jsonOf(chat)['id']] },
        targets: [{ model: 'acme/other' }],
        judges: [],
        max_cost_usd: 1,
      };
      const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
      const made = jsonOf(await core.post('/admin/v1/reruns', body, { headers }));
      return (made['data'] as { id: string }).id;
    },
    rowOf: async (id: string) => (await core.store.reruns.get(id)) as StoredRerun,
    itemsOf: async () => (await core.store.reruns.list()).filter((row): row is StoredRerunItem => row.kind === 'item'),
  };
}

test('a call that the end of the gateway has ended is made again after the next start, and its cost counts', async () => {
  const { gateway, platform, asked, begin, rowOf, itemsOf, store } = startGateway(1);
  const id = await begin();
  await until(() => asked.silent === 1);
  const closing = gateway.close();
  await platform.advance(10_000);
  await closing;
  expect(await rowOf(id)).toMatchObject({ state: 'running', counts: { failed: 0, running: 1 } });
  const [left] = await itemsOf();
  expect(left?.calls).toMatchObject([{ purpose: 'completion', isLost: true }]);
  // Its ids are not those of the first.
  const second = startGateway(0, { recordingStore: store, platform: { ...createVirtualPlatform(), randomBytes } });
  await second.gateway.start();
  await until(async () => (await rowOf(id)).state !== 'running');
  expect(await rowOf(id)).toMatchObject({ state: 'done', counts: { done: 1, failed: 0 } });
  const [done] = await itemsOf();
  expect(done?.calls.map(({ isLost = false }) => isLost)).toEqual([true, false]);
  expect((await rowOf(id)).lostNanoUsd).toBe(done?.calls[0]?.costNanoUsd);
});

test('a rerun that a failure of the store has stopped goes on by itself, without a restart', async () => {
  const { gateway, platform, asked, begin, rowOf, store, logged } = startGateway(0);
  await gateway.start();
  const update = store.reruns.update.bind(store.reruns);
  let isAway = true;
  Object.assign(store.reruns, {
    update: (...given: Parameters<typeof update>) =>
      isAway && asked.other > 0 ? Promise.reject(new Error('The store is away')) : update(...given),
  });
  const id = await begin();
  await until(() => logged.some(({ line }) => line === 'error a rerun has stopped'));
  expect(await rowOf(id)).toMatchObject({ state: 'running' });
  isAway = false;
  await platform.advance(10_000);
  await until(async () => (await rowOf(id)).state !== 'running');
  expect(await rowOf(id)).toMatchObject({ state: 'done', counts: { done: 1 } });
  expect(asked.other).toBe(1);
});
