import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';

import { readAll } from '../support/async/read-all.ts';
import { withKey } from '../support/gateways/chat.ts';
import { createTestGateway, TEST_KEY } from '../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { APPS } from './apps.mjs';

const HELLO = { model: 'test/text', messages: [{ role: 'user' as const, content: 'Hello!' }] };

async function start(app: (typeof APPS)[string]) {
  const upstream = await startScriptedUpstream();
  const { gateway, nextRecord, close } = createTestGateway(upstream);
  const host = await app(gateway);
  onTestFinished(async () => {
    await close();
    await host.close();
    await upstream.close();
  });
  const apiUrl = `${host.url}/ai/api/v1`;
  const client = new OpenAI({ apiKey: TEST_KEY, baseURL: apiUrl, maxRetries: 0 });
  return { ...host, apiUrl, upstream, nextRecord, client };
}

test.each(Object.entries(APPS))('%s: serves calls, streamed and not, beside its own page', async (_, app) => {
  const { url, apiUrl, client } = await start(app);
  const whole = await client.chat.completions.create(HELLO);
  const chunks = await readAll(await client.chat.completions.create({ ...HELLO, stream: true }));
  expect(whole.choices[0]?.message.content).toContain('Hello there');
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toContain('Hello there');

  const first = await fetch(`${apiUrl}/models?limit=1`, withKey());
  expect(await first.json()).toMatchObject({ links: { next: '/ai/api/v1/models?limit=1&offset=1' } });
  expect((await fetch(`${apiUrl}/models`)).status).toBe(401);
  expect(await (await fetch(url)).text()).toBe('My own page');
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  expect((await fetch(`${apiUrl}/unheard-of`, withKey())).status).toBe(404);
});

test.each(Object.entries(APPS))('%s: reports errors in the form of the API', async (_, app) => {
  const { client } = await start(app);
  await expect(client.chat.completions.create({ ...HELLO, temperature: 3 })).rejects.toMatchObject({
    status: 400,
    error: { code: 400, metadata: { error_type: 'invalid_request' } },
  });
  await expect(client.chat.completions.create({ ...HELLO, model: 'test/broken' })).rejects.toMatchObject({
    status: 502,
  });
});

test.each(Object.entries(APPS))('%s: closes the call upstream when the client leaves', async (_, app) => {
  const { client, upstream, nextRecord } = await start(app);
  const [call, record] = [upstream.nextCall(), nextRecord()];
  const stream = await client.chat.completions.create({ ...HELLO, model: 'test/held', stream: true });
  await stream[Symbol.asyncIterator]().next();
  stream.controller.abort();
  expect(await (await call).closed).toBe(false);
  expect((await record).generation.cancelled).toBe(true);
});
