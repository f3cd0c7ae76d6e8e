import dns from 'node:dns';

import { afterEach, expect, test, vi } from 'vitest';

import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { respondWell, findClosedPort, type RawUpstream, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: readonly dns.LookupAddress[]) => void;

/** Lets the name service say what this does, for every name that is not an address; counts how often it was asked. */
function replaceLookup(respond: (callback: LookupCallback, asked: number) => void): { readonly asked: () => number } {
  let asked = 0;
  const original = dns.lookup;
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: unknown, callback: LookupCallback) => {
    if (!name.endsWith('.test')) return (original as (...all: unknown[]) => void)(name, options, callback);
    asked += 1;
    respond(callback, asked);
  }) as unknown as typeof dns.lookup);
  return { asked: () => asked };
}

const lookupError = (code: string): NodeJS.ErrnoException => Object.assign(new Error(`getaddrinfo ${code}`), { code });

const named = ({ port }: Pick<RawUpstream, 'port'>): { baseUrl: string } => ({
  baseUrl: `http://upstream.test:${port}/v1`,
});

const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];

test('1: a refused connection goes to the next provider, and the caller sees only its response', async () => {
  const closed = { baseUrl: `http://127.0.0.1:${await findClosedPort()}/v1` };
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { ask, record } = await startFaultGateway([closed, upstream]);

  const response = await ask();
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ provider: 'Up1', choices: [{ message: { content: 'Hello' } }] });
  expect((await record()).record.generation.provider_responses).toMatchObject([
    { provider_name: 'Up0', status: null },
    { provider_name: 'Up1', status: 200 },
  ]);
});

test.each([false, true])(
  '1: a refused connection without another provider is a 502 that costs nothing (stream: %j)',
  async (stream) => {
    const closed = { baseUrl: `http://127.0.0.1:${await findClosedPort()}/v1` };
    const { ask, record } = await startFaultGateway([closed]);

    const startedAt = performance.now();
    const response = await ask({ stream });
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(response.status).toBe(502);
    const { error } = (await response.json()) as { error: { message: string; code: number } };
    expect(error).toMatchObject({ code: 502, metadata: { error_type: 'provider_unavailable' } });
    expect(error.message).not.toMatch(/127\.0\.0\.1|ECONN|\d{4}/);
    expect((await record()).record).toMatchObject({
      costNanoUsd: 0,
      generation: { finish_reason: 'error', cancelled: false, tokens_prompt: null, total_cost: 0 },
    });
  },
);

test('2: a name that does not exist is a 502, and the next provider is asked where there is one', async () => {
  replaceLookup((callback) => callback(lookupError('ENOTFOUND'), []));
  const upstream = await startRawUpstream((request) => respondWell(request));

  const alone = await startFaultGateway([named(upstream)]);
  const response = await alone.ask();
  expect(response.status).toBe(502);
  expect(await response.text()).not.toContain('upstream.test');
  expect((await alone.record()).record.costNanoUsd).toBe(0);

  const backed = await startFaultGateway([named(upstream), upstream]);
  expect((await backed.ask()).status).toBe(200);
});

test('3: a name service that asks for patience once is asked once more', async () => {
  const { asked } = replaceLookup((callback, time) =>
    time === 1 ? callback(lookupError('EAI_AGAIN'), []) : callback(null, LOOPBACK),
  );
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { ask } = await startFaultGateway([named(upstream)]);

  expect((await ask()).status).toBe(200);
  expect(asked()).toBe(2);
  expect(upstream.connections).toHaveLength(1);
});

test('3: a name service that asks for patience for ever is asked twice and no more', async () => {
  const { asked } = replaceLookup((callback) => callback(lookupError('EAI_AGAIN'), []));
  const { ask } = await startFaultGateway([named({ port: 9 })]);

  expect((await ask()).status).toBe(502);
  expect(asked()).toBe(2);
});

test('4: the connect limit ends look-ups that hang, and other requests are served meanwhile', async () => {
  const { asked } = replaceLookup(() => undefined);
  const { ask, listener } = await startFaultGateway([named({ port: 9 })], { transport: { connectTimeoutMs: 300 } });

  const hanging = Array.from({ length: 50 }, () => ask());
  await vi.waitFor(() => expect(asked()).toBe(50));
  expect((await fetch(`${listener.url}/health`)).status).toBe(200);
  for (const response of await Promise.all(hanging)) {
    expect(response.status).toBe(408);
    await response.body?.cancel();
  }
});

test('5: an unreachable IPv6 address does not keep the IPv4 one from being reached within a second', async () => {
  replaceLookup((callback) => callback(null, [{ address: '::1', family: 6 }, ...LOOPBACK]));
  const upstream = await startRawUpstream((request) => respondWell(request));
  const { ask } = await startFaultGateway([named(upstream)]);

  const startedAt = performance.now();
  expect((await ask()).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
