import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { type StartedCommand, startCommand } from '../support/gateways/start-command.ts';
import { writeTestConfig } from '../support/gateways/write-test-config.ts';
import { respondWell, startRawUpstream } from '../support/upstreams/raw-upstream.ts';

const KEY = 'sk-test-api-key-0123456789';
const LINES = 400;
const DEATHS = 4;
/** Upstream takes a moment, so that every death cuts calls. */
const UPSTREAM_MS = 20;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-batches-'));
});
afterEach(() => rm(dir, { recursive: true, maxRetries: 5 }));

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly request_counts: { readonly completed: number; readonly failed: number };
}

async function call(
  running: StartedCommand,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${KEY}` };
  if (typeof body === 'string') headers['content-type'] = 'application/json';
  const response = await fetch(`${running.url}/api/v1${path}`, { method, headers, ...(body && { body }) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

test('227: a batch whose process is killed again and again has one result for every line', async () => {
  let upstreamCalls = 0;
  const upstream = await startRawUpstream((request) => {
    upstreamCalls += 1;
    setTimeout(() => respondWell(request), UPSTREAM_MS);
  });
  const config = writeTestConfig({
    auth: { bootstrapKeys: [{ key: KEY, kind: 'api', name: 'dev' }] },
    store: { type: 'json', dir },
    providers: [{ slug: 'up', wire: 'openai', baseUrl: upstream.baseUrl, apiKey: 'upstream-key-0123456789' }],
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'm' }] }],
  });
  let running = await startCommand(config);
  const lines = Array.from({ length: LINES }, (_, at) =>
    JSON.stringify({
      custom_id: `line ${at}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'test/model', messages: [{ role: 'user', content: `question ${at}` }] },
    }),
  );
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([lines.join('\n')]), 'in.jsonl');
  const { id: input } = (await (await call(running, 'POST', '/files', form)).json()) as { id: string };
  const asked = JSON.stringify({ input_file_id: input, endpoint: '/v1/chat/completions' });
  const { id } = (await (await call(running, 'POST', '/batches', asked)).json()) as Batch;
  const read = async (): Promise<Batch> => (await (await call(running, 'GET', `/batches/${id}`)).json()) as Batch;

  for (let death = 1; death <= DEATHS; death += 1) {
    const least = (death * LINES) / (DEATHS + 2);
    await expect
      .poll(async () => (await read()).request_counts.completed, { timeout: 20_000, interval: 5 })
      .toBeGreaterThanOrEqual(least);
    expect((await read()).status).toBe('in_progress');
    await running.kill();
    running = await startCommand(config);
  }
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('completed');
  const batch = await read();
  expect(upstreamCalls).toBeGreaterThan(LINES);
  expect(batch.request_counts).toMatchObject({ completed: LINES, failed: 0 });
  const text = await (await call(running, 'GET', `/files/${batch.output_file_id}/content`)).text();
  const ids = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
  expect(ids).toEqual(lines.map((_, at) => `line ${at}`));
  await running.kill();
}, 90_000);
