import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { TEST_KEY, TEST_MANAGEMENT_KEY } from '../support/gateways/test-gateway.ts';
import { missingRedis } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { type Instance, startInstances } from './support/instances.ts';
import { startOwnRedis } from './support/own-servers.ts';

const PLACES = 8;
const CALLERS = 200;
const CALLS_EACH = 3;
const HOLD_MS = 40;
const KILL_AFTER = 100;

interface Served {
  readonly caller: string;
  readonly instance: string;
}

/** A model server that counts what is under way, until a call is answered or its connection is gone. */
async function startCountingUpstream() {
  const served: Served[] = [];
  const counts = { underWay: 0, most: 0 };
  const server = createServer((request, response) => {
    counts.underWay += 1;
    counts.most = Math.max(counts.most, counts.underWay);
    let isUnderWay = true;
    const end = (): void => {
      if (isUnderWay) counts.underWay -= 1;
      isUnderWay = false;
    };
    response.once('close', end);
    let text = '';
    request.on('data', (piece) => (text += String(piece)));
    request.on('end', () => {
      const { messages } = JSON.parse(text) as { messages: readonly { readonly content: string }[] };
      served.push({ caller: messages[0]?.content ?? '', instance: String(request.headers['x-instance']) });
      setTimeout(() => {
        end();
        response.writeHead(200, { 'content-type': 'application/json' });
        const message = { role: 'assistant', content: 'Hi' };
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
        response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
      }, HOLD_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, served, counts };
}

const toConfig = (baseUrl: string, redis: string, index: number): object => ({
  auth: {
    bootstrapKeys: [
      { key: TEST_KEY, kind: 'api', name: 'app' },
      { key: TEST_MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
  },
  server: { host: '127.0.0.1' },
  shared: { type: 'redis', url: redis, whenDown: 'closed' },
  providers: [{ slug: 'acme', wire: 'openai', baseUrl, apiKey: 'planted', headers: { 'x-instance': String(index) } }],
  models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat' }] }],
  limits: [{ provider: 'acme', callsUnderWay: PLACES, queue: { length: 1000, seconds: 120 } }],
});

/** Makes the calls of a caller one after the other; those that a death has cut short are made at the next instance. */
async function makeCalls(caller: number, instances: readonly Instance[]): Promise<void> {
  let at = caller % instances.length;
  for (let made = 0; made < CALLS_EACH;) {
    const { url } = instances[at] as Instance;
    const headers = { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' };
    const messages = [{ role: 'user', content: `caller ${caller}` }];
    const body = JSON.stringify({ model: 'acme/chat', user: `caller ${caller}`, messages });
    const status = await fetch(`${url}/api/v1/chat/completions`, { method: 'POST', headers, body }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 0,
    );
    if (status === 0) at = (at + 1) % instances.length;
    else {
      expect(status).toBe(200);
      made += 1;
    }
  }
}

/** The place at which the last caller has had this many calls, among these calls. */
function placeOfLast(calls: readonly Served[], nth: number): number {
  const counts = new Map<string, number>();
  let last = 0;
  for (const [index, { caller }] of calls.entries()) {
    const count = (counts.get(caller) ?? 0) + 1;
    counts.set(caller, count);
    if (count === nth) last = index + 1;
  }
  return last;
}

test.skipIf(missingRedis)(
  'four processes share 8 places among 200 callers in their order, and none starves when one process is killed',
  async () => {
    const { url } = await startOwnRedis();
    const { baseUrl, served, counts } = await startCountingUpstream();
    const instances = await startInstances(4, (index) => toConfig(baseUrl, url, index));
    const killed = eventually(() => expect(served.length).toBeGreaterThan(KILL_AFTER)).then(() => instances[0]?.kill());
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => makeCalls(caller, instances)));
    await killed;

    expect(counts.most).toBeLessThanOrEqual(PLACES);
    expect(counts.most).toBeGreaterThan(PLACES / 2);
    // None starves: each has had all of its calls, those of the dead process elsewhere.
    const callsOf = new Map<string, number>();
    for (const { caller } of served) callsOf.set(caller, (callsOf.get(caller) ?? 0) + 1);
    expect(callsOf.size).toBe(CALLERS);
    expect(Math.min(...callsOf.values())).toBeGreaterThanOrEqual(CALLS_EACH);

    // Callers of the living have had their first calls, and their second, in turn. The model server sees the order in
    // which calls arrive, and a busy machine lets single processes stand still for a while, so the bounds are wider than
    // the order is: without turns the last caller has its first call after twice as many.
    const home = (caller: string): string => String(Number(caller.replace('caller ', '')) % 4);
    const ofLiving = served.filter(({ caller }) => home(caller) !== '0');
    const expectTurns = (calls: readonly Served[], slack: number): void => {
      const callers = new Set(calls.map(({ caller }) => caller)).size;
      expect(callers).toBeGreaterThanOrEqual(CALLERS / 4);
      const late = [1, 2].map((nth) => placeOfLast(calls, nth) / (nth * callers));
      console.info(
        `${callers} callers: the last has its first and second call at ${late.map((by) => by.toFixed(2)).join(' and ')}`,
      );
      for (const by of late) expect(by).toBeLessThanOrEqual(slack);
    };
    for (const at of ['1', '2', '3']) {
      expectTurns(
        ofLiving.filter(({ instance }) => instance === at),
        1.2,
      );
    }
    expectTurns(ofLiving, 1.5);
  },
  120_000,
);
