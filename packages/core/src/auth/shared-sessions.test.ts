import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { createVirtualPlatform, settle } from '../../../../test/support/async/virtual-platform.ts';
import { bodyOf } from '../../../../test/support/gateways/body-of.ts';
import { createSharedMemoryStore } from '../../../../test/support/stores/shared-memory-store.ts';
import type { GatewayRequest } from '../http/request.ts';
import { createSessions } from './sessions.ts';

const WHO = { keyHash: null, name: 'UI' };

const requestWith = (secret: string): GatewayRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  headers: { host: 'gateway.example', cookie: `gateway_session_default=${secret}` },
  baseUrl: 'https://gateway.example',
  signal: new AbortController().signal,
  ...bodyOf(),
});

function createProcesses() {
  const platform = createVirtualPlatform();
  const store = createSharedMemoryStore(() => platform.monotonicNow());
  const [one, other] = [createSessions(platform, store.entries), createSessions(platform, store.entries)];
  return { platform, store, one, other };
}

test('a session that one process opened holds at the others, and its end reaches them within a quarter of a second', async () => {
  const { platform, one, other } = createProcesses();
  const session = await one.open(WHO, requestWith(''));
  const request = requestWith(session.secret);
  expect(await other.find(request)).toEqual(session);
  await one.close(session);
  expect(await one.find(request)).toBeUndefined();
  platform.oversleep(250);
  expect(await other.find(request)).toBeUndefined();
});

test('many requests of a page at once ask the store once, and what is no secret asks nothing', async () => {
  const { platform, store, one, other } = createProcesses();
  const { secret } = await one.open(WHO, requestWith(''));
  await Promise.all(Array.from({ length: 20 }, async () => other.find(requestWith(secret))));
  await other.find(requestWith(secret));
  expect(store.looks).toBe(1);
  platform.oversleep(250);
  await other.find(requestWith(secret));
  expect(store.looks).toBe(2);
  expect(await other.find(requestWith('not a secret'))).toBeUndefined();
  expect(store.looks).toBe(2);
});

test('a session lasts twelve hours, and holds at the host that it was made at alone', async () => {
  const { platform, one, other } = createProcesses();
  const { secret } = await one.open(WHO, requestWith(''));
  const request = requestWith(secret);
  expect(await other.find({ ...request, headers: { ...request.headers, host: 'other.example' } })).toBeUndefined();
  platform.oversleep(12 * 60 * 60_000 - 1);
  expect(await other.find(request)).toBeDefined();
  platform.oversleep(1);
  expect(await one.find(request)).toBeUndefined();
});

test('the store holds no secret', async () => {
  const { one, store } = createProcesses();
  const seen: string[] = [];
  const { put } = store.entries;
  Object.assign(store.entries, {
    put: (id: string, value: string, ttlMs: number) => {
      seen.push(id, value);
      return put(id, value, ttlMs);
    },
  });
  const { secret } = await one.open(WHO, requestWith(''));
  const token = one.issueToken();
  await settle();
  expect(seen).toHaveLength(4);
  expect(seen.filter((text) => text.includes(secret) || text.includes(token))).toEqual([]);
});

test('a link of one process is good at any of them, once over all', async () => {
  const { one, other } = createProcesses();
  const token = one.issueToken();
  await settle();
  const redeemed = await Promise.all([other.redeemToken(token), one.redeemToken(token), other.redeemToken(token)]);
  expect(redeemed.filter(Boolean)).toEqual([true]);
});

test('a link is good at its own process at once, however slowly the store takes it', async () => {
  const { one } = createProcesses();
  const token = one.issueToken();
  expect([await one.redeemToken(token), await one.redeemToken(token)]).toEqual([true, false]);
});

test('a link whose storing is repeated after it was used is not good again', async () => {
  const { platform, store, one, other } = createProcesses();
  const { put } = store.entries;
  let lost = true;
  store.entries.put = async (...entry) => {
    await put(...entry);
    // The store has it, but the process does not hear of that.
    if (lost) throw new Error('the connection is gone');
  };
  const token = one.issueToken();
  await settle();
  expect(await other.redeemToken(token)).toBe(true);
  lost = false;
  await platform.advance(3000);
  expect(await other.redeemToken(token)).toBe(false);
});

test('a session that ends while the store is asked for it is not believed in afterwards', async () => {
  const { platform, store, one } = createProcesses();
  const session = await one.open(WHO, requestWith(''));
  platform.oversleep(1000);
  const { get } = store.entries;
  const response = createDeferred<void>();
  store.entries.get = async (id) => {
    const found = await get(id);
    await response.promise;
    return found;
  };
  const asked = one.find(requestWith(session.secret));
  await settle();
  await one.close(session);
  response.resolve();
  await asked;
  store.isAway = true;
  await expect(one.find(requestWith(session.secret))).rejects.toThrow('the store is away');
});

test('a link made while the store is away is good once that is back, and for ten minutes in all', async () => {
  const { platform, store, one, other } = createProcesses();
  store.isAway = true;
  const [token, late] = [one.issueToken(), one.issueToken()];
  await platform.advance(60_000);
  store.isAway = false;
  await platform.advance(2000);
  expect(await other.redeemToken(token)).toBe(true);
  platform.oversleep(9 * 60_000);
  expect(await other.redeemToken(late)).toBe(false);
});

test('while the store is away, a session that was seen within five minutes holds; others are refused as such', async () => {
  const { platform, store, one, other } = createProcesses();
  const { secret } = await one.open(WHO, requestWith(''));
  store.isAway = true;
  platform.oversleep(4 * 60_000);
  expect(await one.find(requestWith(secret))).toBeDefined();
  await expect(other.find(requestWith(secret))).rejects.toThrow('the store is away');
  platform.oversleep(60_000);
  await expect(one.find(requestWith(secret))).rejects.toThrow('the store is away');
});
