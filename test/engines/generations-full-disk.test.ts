import { createGateway, type Gateway, type GatewayResponse } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';
import { expect, onTestFinished, test } from 'vitest';

import { bodyOf } from '../support/gateways/body-of.ts';
import { API_KEY, createScriptedProvider, MODELS } from '../support/gateways/core-gateway.ts';
import { missingPostgres, openDatabase } from './support/engines.ts';
import { startFaultProxy } from './support/fault-proxy.ts';
import { makeFolder, openStoreOnFaultyDisk, readWritten } from './support/generation-stores.ts';

const HELLO = [
  {
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content: 'Hi' },
        finish_reason: 'stop',
        native_finish_reason: 'stop',
      } as const,
    ],
  },
];

/** A gateway whose way to the database and whose disk a test can break; it counts what reaches upstream. */
async function open(spool: { readonly memoryBytes?: number; readonly journalBytes?: number }) {
  const direct = await openDatabase();
  const proxy = await startFaultProxy(Number(new URL(direct).port));
  onTestFinished(() => proxy.close());
  const { store, files, journal } = await openStoreOnFaultyDisk({
    url: proxy.through(direct),
    dir: await makeFolder(),
    spool,
  });
  const asked = { calls: 0 };
  const count = (): void => void (asked.calls += 1);
  const gateway = createGateway({
    providers: [createScriptedProvider('acme', [HELLO], count), createScriptedProvider('beta', [HELLO], count)],
    models: MODELS,
    store,
    platform: createNodePlatform(),
    bootstrapKeys: [{ key: API_KEY, kind: 'api', name: 'test' }],
  });
  await gateway.loadSetup();
  onTestFinished(() => gateway.close());
  return { direct, proxy, files, journal, asked, chat: () => chat(gateway) };
}

async function chat(gateway: Gateway): Promise<GatewayResponse> {
  const text = JSON.stringify({ model: 'acme/chat', messages: [{ role: 'user', content: 'x'.repeat(200) }] });
  return gateway.handle({
    method: 'POST',
    path: '/api/v1/chat/completions',
    query: '',
    baseUrl: '',
    remoteAddress: '127.0.0.1',
    signal: new AbortController().signal,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    ...bodyOf(text),
  });
}

const reasonOf = ({ body }: GatewayResponse): string =>
  (JSON.parse(body as string) as { error: { message: string } }).error.message;

test.skipIf(missingPostgres)(
  'with a full journal and the database away, calls get a 503 with the reason before upstream is called, until it is back',
  async () => {
    const { direct, proxy, journal, asked, chat } = await open({ journalBytes: 20_000 });
    expect((await chat()).status).toBe(200);
    proxy.cut();
    let recorded = 1;
    let response = await chat();
    while (response.status === 200 && recorded < 200) {
      recorded += 1;
      response = await chat();
    }
    expect([response.status, response.headers['retry-after']]).toEqual([503, '5']);
    expect(reasonOf(response)).toBe(
      'Far too much waits for the database of the gateway, so this call could not be recorded; try again shortly',
    );
    expect(asked.calls).toBe(recorded);
    for (let more = 0; more < 5; more += 1) expect((await chat()).status).toBe(503);
    expect(asked.calls).toBe(recorded);
    proxy.pass();
    await expect.poll(() => journal.bytes).toBe(0);
    expect((await chat()).status).toBe(200);
    // None of those that were answered is lost.
    await expect.poll(async () => (await readWritten(direct)).generations).toBe(recorded + 1);
  },
);

test.skipIf(missingPostgres)(
  'with a full disk and the database away, calls get a 503 before upstream is called, until the disk has room again',
  async () => {
    const { proxy, files, asked, chat } = await open({});
    expect((await chat()).status).toBe(200);
    proxy.cut();
    files.failAll('write', { code: 'ENOSPC' });
    // The first shows that neither takes it.
    expect((await chat()).status).toBe(500);
    const known = asked.calls;
    for (let more = 0; more < 5; more += 1) {
      const response = await chat();
      expect([response.status, reasonOf(response)]).toEqual([
        503,
        'The database and the journal of the gateway are away, so this call could not be recorded; try again shortly',
      ]);
    }
    expect(asked.calls).toBe(known);
    files.heal();
    await expect.poll(async () => (await chat()).status, { interval: 200 }).toBe(200);
  },
);
