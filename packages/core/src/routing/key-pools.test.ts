import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../test/support/async/virtual-platform.ts';
import type { ProviderKey } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createKeyBoard } from './health/key-board.ts';
import { chooseKey, keyStickinessOf, type Pooled, type StickyCall } from './key-pools.ts';

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A provider with these keys, of which `off` are disabled by hand. */
function createPool(names: readonly string[], off: readonly string[] = []) {
  const keys = names.map((name) => {
    const key = { name, fingerprint: name, weight: 1, limits: {}, isOff: off.includes(name) };
    return key as unknown as ProviderKey;
  });
  const board = createKeyBoard({ platform: createVirtualPlatform(), logger });
  board.follow([{ slug: 'acme', keys }]);
  const pooled = { provider: { slug: 'acme', keys } } as unknown as Pooled;
  const keyOf = (name: string): ProviderKey => keys.find((key) => key.name === name) as ProviderKey;
  const healthOf = (name: string) => board.of('acme', keyOf(name));
  const choose = (tried: readonly string[] = []) => {
    const query = { stickyKey: null, tried: new Set(tried.map(keyOf)) };
    const choice = chooseKey(pooled, query, { keys: board, random: Math.random });
    return choice === null ? null : `${choice.key.name}: ${choice.reason}`;
  };
  return { choose, healthOf };
}

const refusedWith = (upstreamStatus: number): GatewayError =>
  new GatewayError('provider_unavailable', 'no', { upstreamStatus });

test('a key that was tried is not chosen again, however well it is', () => {
  const { choose } = createPool(['one', 'two']);
  for (let time = 0; time < 20; time += 1) expect(choose(['one'])).toBe('two: only');
  expect(choose(['one', 'two'])).toBeNull();
});

test('a key whose circuit is open is chosen only where no other is well', () => {
  const { choose, healthOf } = createPool(['one', 'two']);
  while (healthOf('one').state() === 'ready') {
    healthOf('one').noteStarted();
    healthOf('one').noteFailed(refusedWith(500));
  }
  expect(healthOf('one').state()).toBe('failing');
  for (let time = 0; time < 20; time += 1) expect(choose()).toBe('two: only');
  expect(choose(['two'])).toBe('one: only');
});

test('a disabled key is asked once more where all are disabled, and not while another only rests', () => {
  const { choose, healthOf } = createPool(['one', 'two']);
  healthOf('one').noteFailed(refusedWith(401));
  healthOf('two').rest(1000);
  expect(choose()).toBeNull();
  healthOf('two').noteFailed(refusedWith(401));
  expect([choose(), choose(), choose()]).toEqual(['one: last_resort', 'two: last_resort', null]);
});

test('a key that is disabled by hand is not asked once more, also where its provider had refused it', () => {
  const { choose, healthOf } = createPool(['one', 'two'], ['one']);
  for (const name of ['one', 'two']) healthOf(name).noteFailed(refusedWith(401));
  expect([choose(), choose()]).toEqual(['two: last_resort', null]);
});

test('a session leads to a key, else the cache that the call names, else its user', () => {
  const toCall = (more: object, preferences: object = {}): StickyCall =>
    ({
      principal: { id: 'p' },
      session: null,
      labels: { externalUser: null },
      request: {},
      kind: { preferencesOf: () => preferences },
      ...more,
    }) as unknown as StickyCall;
  const leads = (call: StickyCall) => keyStickinessOf(call, {} as Parameters<typeof keyStickinessOf>[1]);
  const labels = { externalUser: 'u' };
  const cached = { cacheKey: 'c', openingOf: () => 'opening' };
  expect(leads(toCall({ session: 's', labels }, cached))).toBe('p\nsession\ns');
  expect(leads(toCall({ labels }, cached))).toBe('p\ncache\nc');
  expect(leads(toCall({ labels }))).toBe('p\nuser\nu');
  expect(leads(toCall({}))).toBeNull();
});
