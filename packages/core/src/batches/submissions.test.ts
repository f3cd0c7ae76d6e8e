import type { Transport } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import type { FileGateway } from '../../../../test/support/gateways/file-gateway.ts';
import {
  CHAT,
  createBatchGateway,
  helpersOf,
  toLine,
} from '../../../../test/support/gateways/provider-batch-gateway.ts';
import type { BatchUpstream } from '../../../../test/support/upstreams/batch-upstream.ts';
import type { BatchRow } from '../stores/batches.ts';
import type { Batch } from '../wire/batches.ts';

test('lines whose submission the store did not take for a moment are not held twice, and are sent later', async () => {
  const { gateway, upstream, ended, post, platform, store } = createBatchGateway('openai');
  await gateway.start();
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  // Room for one hold of the line, of 150 millionths and its prompt, and not for two.
  const { key } = jsonOf(await post('/api/v1/keys', { name: 'poor', limit: 0.0003 }, { headers })) as { key: string };
  const insert = store.batches.insert.bind(store.batches);
  let refusals = 0;
  Object.assign(store.batches, {
    insert(row: BatchRow) {
      if (row.kind !== 'submission' || refusals > 0) return insert(row);
      refusals += 1;
      throw new Error('The store is away');
    },
  });
  const requests = [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'a' }], max_tokens: 50 } }];
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const own = { headers: { authorization: `Bearer ${key}` } };
  const { id } = jsonOf(await post('/api/beta/batches', body, own)) as Batch;
  await until(() => refusals === 1);
  await platform.advance(10_000);
  await until(() => upstream.batches.length === 1);
  upstream.finish();
  expect(await ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1, failed: 0 } });
  expect(upstream.calls).toEqual([]);
});

type Send = Transport['send'];

/** Upstream's API does not come back to what is asked of it from now on, though it does it where `takes` is set. */
function hang({ transport }: { readonly transport: Transport }, path: RegExp, takes = false) {
  const state = { hung: 0 };
  const { send } = transport;
  const hanging: Send = async (request) => {
    if (!path.test(request.url)) return send(request);
    if (takes) await send(request);
    state.hung += 1;
    return new Promise((_, reject) => {
      const { signal } = request;
      const end = (): void => reject(signal.reason as Error);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
  };
  Object.assign(transport, { send: hanging });
  return { state, answerAgain: () => void Object.assign(transport, { send }) };
}

/** Whether a gateway has closed once so much time has passed. */
async function closesWithin(ms: number, { gateway, platform }: Pick<FileGateway, 'gateway' | 'platform'>) {
  let isClosed = false;
  const closed = gateway.close().then(() => (isClosed = true));
  await platform.advance(ms);
  if (isClosed) await closed;
  return isClosed;
}

test.each([
  ['the state of a batch', /\/batches\/[^/]+$/, () => undefined],
  ['results', /\/content$/, (upstream: BatchUpstream) => upstream.finish()],
])('an upstream that is slow to tell %s does not hold up the end of the gateway', async (_, path, before) => {
  const made = createBatchGateway('openai');
  const { gateway, upstream, platform, begin, open, store, storage } = made;
  await gateway.start();
  const { id } = await begin([toLine('a')]);
  await until(() => upstream.batches.length === 1);
  const { state, answerAgain } = hang(upstream, path);
  before(upstream);
  while (state.hung === 0) await platform.advance(1000);
  expect(await closesWithin(6000, made)).toBe(true);
  answerAgain();
  upstream.finish();
  const second = open({ recordingStore: store }, { storage });
  await second.gateway.start();
  expect(await helpersOf(second).ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  expect([upstream.batches.length, upstream.calls]).toEqual([1, []]);
});

test('a batch that an upstream is slow to take is found there by the next process, and not sent twice', async () => {
  const made = createBatchGateway('openai');
  const { gateway, upstream, begin, open, store, storage } = made;
  await gateway.start();
  const { state, answerAgain } = hang(upstream, /\/batches$/, true);
  const { id } = await begin([toLine('a')]);
  await until(() => state.hung === 1);
  expect(await closesWithin(6000, made)).toBe(true);
  answerAgain();
  upstream.finish();
  const second = open({ recordingStore: store }, { storage });
  await second.gateway.start();
  expect(await helpersOf(second).ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1 } });
  expect([upstream.batches.length, upstream.calls]).toEqual([1, []]);
});

test('a batch that is given up is cancelled by the next process where one has ended meanwhile', async () => {
  const made = createBatchGateway('openai');
  const { gateway, upstream, open, store, storage, post } = made;
  await gateway.start();
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  const { key, data } = jsonOf(await post('/api/v1/keys', { name: 'gone' }, { headers })) as {
    readonly key: string;
    readonly data: { readonly hash: string };
  };
  const requests = [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'a' }], max_tokens: 50 } }];
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const own = { headers: { authorization: `Bearer ${key}` } };
  await post('/api/beta/batches', body, own);
  await until(() => upstream.batches.length === 1);
  expect(await closesWithin(6000, made)).toBe(true);
  await store.keys.remove(data.hash);
  const { state, answerAgain } = hang(upstream, /\/cancel$/);
  const second = open({ recordingStore: store }, { storage });
  await second.gateway.start();
  await until(() => state.hung === 1);
  expect(await closesWithin(6000, second)).toBe(true);
  expect(upstream.batches.map(({ isCancelled }) => isCancelled)).toEqual([false]);
  answerAgain();
  const third = open({ recordingStore: store }, { storage });
  await third.gateway.start();
  await until(() => upstream.batches[0]?.isCancelled === true);
});
