import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { until } from '../../../../test/support/async/until.ts';
import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import { createCoreGateway, jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { createKeyedProvider, keysNamed } from '../../../../test/support/providers/keyed-provider.ts';
import { GatewayError } from '../foundation/errors.ts';
import {
  type CallLimitRule,
  createCallLimits,
  type SharedCallCounts,
  type ToldCallCount,
} from '../limits/call-limits.ts';
import type { CallLimitList } from '../wire/limits.ts';

const PATH = '/admin/v1/call-limits';
const MODELS = [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }];

async function setUp(rules: readonly CallLimitRule[] = [], sharedCounts?: SharedCallCounts) {
  const opened = createDeferred<undefined>();
  const held = createDeferred<undefined>();
  const { provider, asked } = await createKeyedProvider('acme', keysNamed('one'), () => {
    held.resolve(undefined);
    return opened.promise;
  });
  const core = createCoreGateway([provider], { models: MODELS, callLimits: { rules, sharedCounts } });
  const list = async (): Promise<CallLimitList['data']> =>
    (jsonOf(await core.get(PATH, MANAGEMENT_KEY)) as unknown as CallLimitList).data;
  const put = (data: readonly object[]) =>
    core.post(PATH, { data }, { method: 'PUT', headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } });
  return { ...core, asked, held: held.promise, open: () => opened.resolve(undefined), list, put };
}

test('a limit that is stored applies to the next call, and tells who holds its places and who waits', async () => {
  const { chat, put, list, asked, open } = await setUp();
  expect(await list()).toEqual([]);
  const limit = { provider: 'acme', key: '*', calls_under_way: 1, queue: { length: 2, seconds: 30 } };
  expect(jsonOf(await put([limit]))).toMatchObject({
    data: [{ ...limit, model: null, source: 'stored', under_way: 0 }],
  });
  const calls = [chat(), chat(), chat()];
  await until(async () => (await list())[0]?.waiting === 2);
  expect(asked).toHaveLength(1);
  const key = expect.any(String);
  expect((await list())[0]).toMatchObject({
    under_way: 1,
    places: [{ key, key_name: key, model: null, provider: 'acme', under_way: 1, waiting: 2 }],
  });
  const refused = await chat();
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  // Raised live: those who wait go on with the next call.
  await put([{ ...limit, calls_under_way: 4 }]);
  const last = chat();
  await until(() => asked.length === 4);
  open();
  for (const call of [...calls, last]) expect((await call).status).toBe(200);
  expect((await list())[0]).toMatchObject({ calls_under_way: 4, under_way: 0, waiting: 0, places: [] });
  await put([]);
  expect(await list()).toEqual([]);
});

test.each([
  ['acme/chat', { model: '*' }],
  ['acme/chat at ACME', { model: 'acme/chat', provider: 'acme' }],
  ['ACME', { provider: '*' }],
  ['models with this key', { key: '*' }],
  ['this gateway', {}],
])('a call that is one too many is told that those to %s are', async (what, rule) => {
  const { chat, held, open } = await setUp([{ ...rule, callsUnderWay: 1 }]);
  const first = chat();
  await held;
  const refused = await chat();
  expect(refused.status).toBe(429);
  expect(jsonOf(refused)).toMatchObject({
    error: { message: expect.stringContaining(`Too many calls to ${what} are under way: at most 1`) as string },
  });
  open();
  expect((await first).status).toBe(200);
});

test('the calls of other processes are added to its own, and where they cannot be asked it says so', async () => {
  let others: () => ReturnType<SharedCallCounts['readOthers']> = () => Promise.resolve([]);
  let read: Parameters<SharedCallCounts['tell']>[0] = () => null;
  const sharedCounts: SharedCallCounts = { tell: (reader) => void (read = reader), readOthers: () => others() };
  const { chat, get, asked, open } = await setUp([{ provider: '*', callsUnderWay: 1 }], sharedCounts);
  const list = async () => jsonOf(await get(PATH, MANAGEMENT_KEY)) as unknown as CallLimitList;
  expect(read()).toEqual([]);
  const call = chat();
  await until(() => asked.length === 1);
  const told = read() ?? [];
  expect(told).toMatchObject([{ provider: 'acme', underWay: 1, waiting: 0 }]);
  const ofBeta = { ...told[0], provider: 'beta', underWay: 4, waiting: 1 } as ToldCallCount;
  others = () => Promise.resolve([told, [ofBeta, { ...ofBeta, rule: 'of a limit that is gone' }], []]);
  expect(await list()).toMatchObject({
    instances: 4,
    missing: null,
    data: [
      {
        under_way: 6,
        waiting: 1,
        places: [
          { provider: 'beta', under_way: 4, waiting: 1 },
          { provider: 'acme', under_way: 2, waiting: 0 },
        ],
      },
    ],
  });
  others = () => Promise.reject(new Error('the store of counts is away'));
  expect(await list()).toMatchObject({
    instances: 1,
    missing: 'Counted at this instance alone: the store of counts is away',
    data: [{ under_way: 1, waiting: 0 }],
  });
  open();
  expect((await call).status).toBe(200);
  expect(read()).toEqual([]);
});

test('a gateway without limits has nothing to tell other processes', async () => {
  let read: Parameters<SharedCallCounts['tell']>[0] = () => [];
  await setUp([], { tell: (reader) => void (read = reader), readOthers: () => Promise.resolve([]) });
  expect(read()).toBeNull();
});

test('a store that cannot be read yet has nothing to tell other processes, and breaks nothing', () => {
  let read: Parameters<SharedCallCounts['tell']>[0] = () => [];
  let isRead = false;
  const limits = createCallLimits(createVirtualPlatform(), {
    get() {
      if (!isRead) throw new GatewayError('provider_overloaded', 'The gateway has not read its database yet');
      return { call_limits: [{ key: null, model: null, provider: null, calls_under_way: 1, queue: null }] };
    },
  });
  const sharedCounts = { tell: (reader: typeof read) => void (read = reader), readOthers: () => Promise.resolve([]) };
  limits.follow({ rules: [], sharedCounts });
  expect(read()).toBeNull();
  isRead = true;
  expect(read()).toEqual([]);
});

test('what the configuration limits is changed there alone, and a stored limit on the same calls waits behind it', async () => {
  const { put, list } = await setUp([{ provider: 'acme', callsUnderWay: 8 }]);
  expect(await list()).toMatchObject([
    { provider: 'acme', key: null, calls_under_way: 8, queue: null, source: 'config' },
  ]);
  const refused = await put([
    { provider: 'acme', calls_under_way: 9 },
    { model: 'acme/none', calls_under_way: 1 },
  ]);
  expect(refused.status).toBe(400);
  const { message } = (jsonOf(refused) as { error: { message: string } }).error;
  expect(message).toContain('data.0: the configuration limits this already');
  expect(message).toContain('data.1.model');
  expect((await put([{ calls_under_way: 9 }, { calls_under_way: 8 }])).status).toBe(400);
  expect((await put([{ provider: 'acme', calls_under_way: 0 }])).status).toBe(400);
  expect((await put([{ calls_under_way: 9 }])).status).toBe(200);
  expect((await list()).map(({ source, calls_under_way: places }) => [source, places])).toEqual([
    ['config', 8],
    ['stored', 9],
  ]);
});
