import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { type StartedCommand, startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import {
  respondWell,
  startRawUpstream,
  STREAM_HEAD,
  toHttpChunk,
  toTextEvent,
} from '../support/upstreams/raw-upstream.ts';

const API_KEY = 'sk-test-api-key-0123456789';
const MANAGEMENT_KEY = 'sk-test-management-key-0123456789';
const PROMPT = 'word '.repeat(400);
/** 500 tokens of text and 4 around the message, at a dollar a million. */
const PROMPT_USD = 0.000504;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-streams-'));
});
afterEach(() => rm(dir, { recursive: true, maxRetries: 5 }));

async function call<Body>({ url }: StartedCommand, method: string, path: string, body?: object): Promise<Body> {
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

const ask = ({ url }: StartedCommand, key: string, content: string): Promise<Response> =>
  fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/model', stream: true, max_tokens: 500, messages: [{ role: 'user', content }] }),
  });

interface Listed {
  readonly data: readonly {
    readonly id: string;
    readonly key_hash: string;
    readonly tokens_completion: number;
    readonly total_cost: number;
  }[];
}

test('224: streams that kill -9 cuts are recorded as interrupted by the next start, once, and their budgets count them', async () => {
  const upstream = await startRawUpstream(({ socket, body }) => {
    if (body.includes('whole')) return respondWell({ socket, body });
    if (body.includes('silent')) return;
    socket.write(STREAM_HEAD);
    socket.write(toHttpChunk(toTextEvent('Half a story. '.repeat(100))));
  });
  const config = writeTestConfig({
    auth: {
      bootstrapKeys: [
        { key: API_KEY, kind: 'api', name: 'dev' },
        { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
      ],
    },
    store: { type: 'json', dir },
    providers: [{ slug: 'up', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'upstream-key-0123456789' }],
    models: [
      {
        id: 'test/model',
        endpoints: [{ provider: 'up', providerModel: 'm', pricing: { prompt: '0.000001', completion: '0.000002' } }],
      },
    ],
  });
  let running = await startCommand(config);
  const { key, data: made } = await call<{ key: string; data: { hash: string } }>(running, 'POST', '/api/v1/keys', {
    name: 'app',
    limit: 0.0035,
  });
  await (await ask(running, API_KEY, 'whole')).text();
  const gone = Promise.allSettled([
    ask(running, key, `story ${PROMPT}`).then((response) => response.text()),
    ask(running, API_KEY, `silent ${PROMPT}`),
  ]);
  // Two calls in one note, of which the first has had its words.
  await expect
    .poll(
      async () => {
        const lines = (await readFile(join(dir, 'running.ndjson'), 'utf8').catch(() => '')).trimEnd().split('\n');
        const last = JSON.parse(lines.at(-1) || '{}') as {
          record?: { calls: { figures: { completionTokens: number } }[] };
        };
        return last.record?.calls.map(({ figures }) => figures.completionTokens > 0).toSorted();
      },
      { timeout: 20_000 },
    )
    .toEqual([false, true]);
  await running.kill();
  await gone;

  for (const round of [1, 2]) {
    running = await startCommand(config);
    const { data } = await call<Listed>(running, 'GET', '/admin/v1/generations?status=interrupted');
    expect(data, `round ${round}`).toHaveLength(2);
    const story = data.find(({ key_hash: hash }) => hash === made.hash);
    const silent = data.find(({ key_hash: hash }) => hash !== made.hash);
    expect(story).toMatchObject({
      model: 'test/model',
      provider_name: 'up',
      streamed: true,
      cancelled: false,
      finish_reason: 'error',
      tokens_completion: 350,
      usage_estimated: true,
      cost_known: true,
    });
    expect(story?.total_cost).toBeCloseTo(PROMPT_USD + 0.0007, 5);
    expect(silent).toMatchObject({ tokens_completion: 0, provider_name: 'up' });
    expect(silent?.total_cost).toBeCloseTo(PROMPT_USD, 5);
    const all = await call<Listed>(running, 'GET', '/admin/v1/generations');
    expect(all.data).toHaveLength(3);
    const { data: counted } = await call<{ data: { usage: number } }>(running, 'GET', `/api/v1/keys/${made.hash}`);
    expect(counted.usage).toBeCloseTo(story?.total_cost ?? 0, 9);
    if (round === 1) await running.kill();
  }

  // The key has room for one such call by its limit alone, but not beside what the interrupted one has cost.
  const refused = await ask(running, key, `whole ${PROMPT}`);
  expect(refused.status).toBe(402);
  expect(await refused.text()).toContain('is spent');
  await running.kill();
}, 60_000);
