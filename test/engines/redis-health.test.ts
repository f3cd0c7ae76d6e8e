import { describe, expect, test } from 'vitest';

import { type CoreGateway, createCoreGateway, jsonOf } from '../support/gateways/core-gateway.ts';
import { createScriptedTransport } from '../support/upstreams/scripted-transport.ts';
import { missingRedis } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { medianOf } from './support/median-of.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

/** A gateway whose provider Acme fails while it is told to, and the calls that Acme has got from it. */
interface Instance {
  readonly core: CoreGateway;
  readonly acme: { isBroken: boolean; calls: number };
}

async function openInstance(url: string): Promise<Instance> {
  const shared = await openRedisShared({ url, whenDown: 'open' });
  const acme = { isBroken: false, calls: 0 };
  const transport = createScriptedTransport((exchange) => {
    const isAcme = exchange.request.url.includes('acme.example');
    if (isAcme) acme.calls += 1;
    exchange.respond(isAcme && acme.isBroken ? 502 : 200, { 'content-type': 'application/json' });
    const choices = [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
    exchange.push(JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
    exchange.end();
  });
  return { core: createCoreGateway(transport, { shared: shared.parts }), acme };
}

/** Who serves a call that asks for Acme first, which only an open circuit overrides. */
const providerOf = async ({ core }: Instance): Promise<unknown> =>
  jsonOf(await core.chat({ provider: { order: ['acme'] } }))['provider'];

describe.skipIf(missingRedis)('Two instances with one Redis', () => {
  test('skip an endpoint as soon as it has failed at one of them, and use it again when it works at one', async () => {
    const { url } = await startOwnRedis();
    const [one, other] = [await openInstance(url), await openInstance(url)];
    expect([await providerOf(one), await providerOf(other)]).toEqual(['Acme', 'Acme']);
    one.acme.isBroken = true;
    for (let i = 0; i < 5; i += 1) expect(await providerOf(one)).toBe('Beta');
    const brokenCalls = one.acme.calls;
    // Its own Acme would work: it skips it on the advice alone.
    await eventually(async () => expect(await providerOf(other)).toBe('Beta'));
    const calls = other.acme.calls;
    for (let i = 0; i < 10; i += 1) expect(await providerOf(other)).toBe('Beta');
    expect([one.acme.calls, other.acme.calls]).toEqual([brokenCalls, calls]);

    one.acme.isBroken = false;
    await one.core.platform.advance(5000);
    expect(await providerOf(one)).toBe('Acme');
    await one.core.platform.advance(100);
    await eventually(async () => expect(await providerOf(other)).toBe('Acme'));
  });

  test('each go by their own calls while it is away, and no call waits for it', async () => {
    const server = await startOwnRedis();
    const [one, other] = [await openInstance(server.url), await openInstance(server.url)];
    server.pause();
    one.acme.isBroken = true;
    const tookMs: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const startedAt = performance.now();
      expect(await providerOf(one)).toBe('Beta');
      tookMs.push(performance.now() - startedAt);
    }
    expect(await providerOf(other)).toBe('Acme');
    // A command that is waited for takes its limit, which is 100 ms.
    expect(medianOf(tookMs)).toBeLessThan(100);
    server.resume();
    // The circuit that is still open is told once more.
    await eventually(async () => {
      await one.core.platform.advance(100);
      expect(await providerOf(other)).toBe('Beta');
    });
  });
});
