import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { spansIn } from '../support/broadcast/otlp.ts';
import { type Receiver, startReceiver } from '../support/broadcast/receiver.ts';
import { type StartedCommand, startCommand } from '../support/gateways/start-command.ts';
import { respondWell, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

const API_KEY = 'sk-test-api-key-0123456789';
const MANAGEMENT_KEY = 'sk-test-management-key-0123456789';
const CYCLES = process.env['TEST_FULL'] === '1' ? 40 : 4;

async function post(url: string, key: string, body: object): Promise<{ readonly id: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as { readonly id: string };
}

const idsAt = ({ requests }: Receiver): Set<unknown> =>
  new Set(requests.flatMap(spansIn).map(({ attributes }) => attributes['gen_ai.response.id']));

test(
  '168: every call that was answered reaches its destination after kill -9, whether the destination was well or down',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gateway-broadcast-'));
    const upstream = await startRawUpstream((request) => respondWell(request));
    const well = await startReceiver();
    const absent = await startReceiver();
    await absent.close();
    const config = join(dir, 'config.json');
    await writeFile(
      config,
      JSON.stringify({
        auth: {
          bootstrapKeys: [
            { key: API_KEY, kind: 'api', name: 'dev' },
            { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
          ],
        },
        store: { type: 'json', dir: join(dir, 'data') },
        webhooks: { allowPrivateNetwork: true },
        providers: [{ slug: 'up', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'upstream-key-0123456789' }],
        models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'm' }] }],
      }),
    );
    const ask = ({ url }: StartedCommand): Promise<{ readonly id: string }> =>
      post(`${url}/api/v1/chat/completions`, API_KEY, {
        model: 'test/model',
        messages: [{ role: 'user', content: 'Hello' }],
      });

    let running = await startCommand(config);
    for (const { url } of [well, absent]) {
      const destination = { type: 'webhook', name: 'w', config: { url: `${url}/` } };
      await post(`${running.url}/api/v1/observability/destinations`, MANAGEMENT_KEY, destination);
    }
    const ids: string[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const completions = await Promise.all(Array.from({ length: 1 + cycle }, () => ask(running)));
      ids.push(...completions.map(({ id }) => id));
      await running.kill();
      running = await startCommand(config);
    }
    const back = await startReceiver(undefined, absent.port);
    await running.kill();
    running = await startCommand(config);
    // Tells that the destination is back, so that nothing has to wait for its place in the schedule.
    ids.push((await ask(running)).id);
    for (const receiver of [well, back]) {
      await expect.poll(() => ids.filter((id) => !idsAt(receiver).has(id)), { timeout: 20_000 }).toEqual([]);
    }
    await running.kill();
    await rm(dir, { recursive: true });
  },
  30_000 + CYCLES * 5000,
);
