import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { createJsonFileStore } from '@model-gateway/node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type StartedCommand, startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { createTokenKey, signToken, startTokenIssuer } from '../support/sign-in/start-token-issuer.ts';
import { createBatchUpstream } from '../support/upstreams/batch-upstream.ts';

const IS_FULL = process.env['TEST_FULL'] === '1';
const LINES = IS_FULL ? 10_000 : 400;
const DEATHS = IS_FULL ? 20 : 4;
/** Upstream takes a moment, so that every death cuts calls. */
const UPSTREAM_MS = 20;
const LIMIT_MS = IS_FULL ? 1_800_000 : 180_000;
const KEY = 'sk-test-api-key-0123456789';
const SEED = Number(process.env['TEST_SEED'] ?? 20_260_101);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-batches-'));
});
afterEach(() => rm(dir, { recursive: true, maxRetries: 5 }));

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly cost: number;
  readonly request_counts: { readonly completed: number; readonly failed: number };
}

async function call(
  running: StartedCommand,
  method: string,
  path: string,
  body?: string | FormData,
  key = KEY,
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (typeof body === 'string') headers['content-type'] = 'application/json';
  const response = await fetch(`${running.url}/api/v1${path}`, { method, headers, ...(body && { body }) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

/** Numbers from 0 to 1, the same for the same seed. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const nameOf = (at: number): string => `line ${at}`;

const writeConfig = (baseUrl: string, batches: boolean, jwt: readonly object[] = []): string =>
  writeTestConfig({
    auth: { bootstrapKeys: [{ key: KEY, kind: 'api', name: 'dev' }], jwt },
    store: { type: 'json', dir },
    providers: [{ slug: 'up', wire: 'openai', baseUrl, apiKey: 'upstream-key-0123456789', batches }],
    models: [
      {
        id: 'test/model',
        // A token costs parts of a billionth, so that what is rounded wrongly shows.
        endpoints: [
          { provider: 'up', providerModel: 'm', pricing: { prompt: '0.0000001237', completion: '0.0000004561' } },
        ],
      },
    ],
  });

async function begin(running: StartedCommand): Promise<string> {
  const lines = Array.from({ length: LINES }, (_, at) => {
    const messages = [{ role: 'user', content: `question ${'x'.repeat(at % 50)}` }];
    const body = { model: 'test/model', messages };
    return JSON.stringify({ custom_id: nameOf(at), method: 'POST', url: '/v1/chat/completions', body });
  });
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines.join('\n')]), 'in.jsonl');
  const { id: input } = (await (await call(running, 'POST', '/files', form)).json()) as { id: string };
  const asked = JSON.stringify({ input_file_id: input, endpoint: '/v1/chat/completions' });
  return ((await (await call(running, 'POST', '/batches', asked)).json()) as Batch).id;
}

const read = async (running: StartedCommand, id: string): Promise<Batch> =>
  (await (await call(running, 'GET', `/batches/${id}`)).json()) as Batch;

async function untilCompleted(running: StartedCommand, id: string, least: number): Promise<void> {
  await expect
    .poll(async () => (await read(running, id)).request_counts.completed, { timeout: LIMIT_MS, interval: 5 })
    .toBeGreaterThanOrEqual(least);
}

/** Waits for the end, and finds each line once in the results, and in the records what the batch says that it cost. */
async function expectEachOnce(running: StartedCommand, id: string): Promise<{ readonly records: number }> {
  await expect.poll(async () => (await read(running, id)).status, { timeout: LIMIT_MS }).toBe('completed');
  const batch = await read(running, id);
  expect(batch.request_counts).toMatchObject({ completed: LINES, failed: 0 });
  const text = await (await call(running, 'GET', `/files/${batch.output_file_id}/content`)).text();
  const ids = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  expect(ids).toEqual(Array.from({ length: LINES }, (_, at) => nameOf(at)));
  await running.kill();

  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const store = await createJsonFileStore({ dir, logger });
  const spentNanoUsd = await store.generations.spentNanoUsd(createHash('sha256').update(KEY).digest('hex'));
  const records = await store.generations.count();
  await store.close();
  expect(spentNanoUsd).toBeGreaterThan(0);
  expect(Math.round(batch.cost * 1e9)).toBe(spentNanoUsd);
  return { records };
}

test(
  '227: a batch whose process is killed again and again has one result for every line, and the cost of its records',
  async () => {
    const dice = createDice(SEED);
    const upstream = createBatchUpstream('openai', { callMs: UPSTREAM_MS });
    const config = writeConfig(await upstream.listen(), false);
    let running = await startCommand(config);
    const id = await begin(running);
    for (let death = 1; death <= DEATHS; death += 1) {
      await untilCompleted(running, id, ((death - dice()) * LINES) / (DEATHS + 2));
      await setTimeout(dice() * 3 * UPSTREAM_MS);
      expect((await read(running, id)).status).toBe('in_progress');
      await running.kill();
      running = await startCommand(config);
    }
    const { records } = await expectEachOnce(running, id);
    expect(records).toBeGreaterThanOrEqual(LINES);
    // Asked twice is at most what was under way at a death.
    expect(upstream.calls.length).toBeGreaterThan(LINES);
    expect(upstream.calls.length).toBeLessThanOrEqual(LINES + DEATHS * 8);
  },
  LIMIT_MS,
);

test(
  '227: lines that are with a provider are sent to it once, however often the process is killed',
  async () => {
    const dice = createDice(SEED);
    const upstream = createBatchUpstream('openai');
    const config = writeConfig(await upstream.listen(), true);
    let running = await startCommand(config);
    const id = await begin(running);
    const killAfter = async (ms: number): Promise<void> => {
      await setTimeout(dice() * ms);
      await running.kill();
      running = await startCommand(config);
    };
    // While lines are prepared and sent, and then while they are there.
    for (let death = 0; death < DEATHS / 2; death += 1) await killAfter(LINES / 4);
    await expect.poll(() => upstream.batches.length, { timeout: LIMIT_MS }).toBeGreaterThan(0);
    await killAfter(100);
    upstream.finish();
    for (let death = 1; death < DEATHS / 2; death += 1) {
      await untilCompleted(running, id, ((death - dice()) * LINES) / (DEATHS / 2 + 1));
      await killAfter(20);
      // What was sent by then only, if it was not all.
      upstream.finish();
    }
    const ending = expectEachOnce(running, id);
    const { records } = await ending;
    expect(records).toBe(LINES);
    expect(upstream.batches.flatMap(({ requests }) => requests)).toHaveLength(LINES);
    expect(upstream.calls).toEqual([]);
  },
  LIMIT_MS,
);

test('227: a batch that a JWT has begun keeps its limit when the process is killed', async () => {
  const limitUsd = 0.001;
  const key = await createTokenKey('first');
  const { url: issuer } = await startTokenIssuer([key]);
  const upstream = createBatchUpstream('openai', { callMs: UPSTREAM_MS });
  const jwt = [{ issuer, audience: 'gateway', claims: { limitUsd: 'budget' } }];
  const config = writeConfig(await upstream.listen(), false, jwt);
  let running = await startCommand(config);
  const token = await signToken(issuer, key, Date.now(), { budget: limitUsd });
  // A line costs 0.000018 dollars, so the limit is enough for 54 of them.
  const requests = Array.from({ length: 100 }, (_, at) => {
    const messages = [{ role: 'user', content: 'x'.repeat(40) }];
    return { custom_id: nameOf(at), body: { model: 'test/model', messages, max_tokens: 50 } };
  });
  const asked = JSON.stringify({ endpoint: '/v1/chat/completions', requests });
  const { id } = (await (await call(running, 'POST', '/../beta/batches', asked, token)).json()) as Batch;
  const look = async () => (await (await call(running, 'GET', `/batches/${id}`, undefined, token)).json()) as Batch;
  await expect.poll(async () => (await look()).request_counts.completed, { interval: 5 }).toBeGreaterThan(10);
  await running.kill();
  running = await startCommand(config);
  await expect.poll(async () => (await look()).status, { timeout: LIMIT_MS }).toBe('completed');
  const { cost, request_counts: counts } = await look();
  expect(counts.completed).toBeGreaterThan(30);
  expect(counts.failed).toBeGreaterThan(30);
  expect(cost).toBeLessThanOrEqual(limitUsd);
});
