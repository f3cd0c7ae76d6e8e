import { createMemoryFileStorage } from '@model-gateway/core';
import OpenAI, { toFile } from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const ENDPOINT = '/v1/chat/completions';

const toLine = (custom_id: string, model: string): string =>
  JSON.stringify({
    custom_id,
    method: 'POST',
    url: ENDPOINT,
    body: { model, messages: [{ role: 'user', content: 'Hello' }] },
  });

describe.each(HOST_KINDS)('batches for the openai client on %s', (kind) => {
  test('are made of an uploaded file, polled, listed, and read from the files of their results', async () => {
    const upstream = await startScriptedUpstream();
    onTestFinished(upstream.close);
    const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    const storage = createMemoryFileStorage({ randomBytes, now: () => Date.now() });
    const { gateway, close } = createTestGateway(upstream, { files: { storage } });
    const host = await startHost(kind, gateway);
    onTestFinished(host.close);
    onTestFinished(close);
    const client = new OpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl, maxRetries: 0 });
    const lines = [toLine('one', 'test/text'), toLine('two', 'test/text'), toLine('bad', 'test/bad-request')];
    const input = await client.files.create({
      file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
      purpose: 'batch',
    });
    const { id } = await client.batches.create({
      input_file_id: input.id,
      endpoint: ENDPOINT,
      completion_window: '24h',
      metadata: { job: 'nightly' },
    });
    await expect.poll(async () => (await client.batches.retrieve(id)).status, { timeout: 10_000 }).toBe('completed');
    const batch = await client.batches.retrieve(id);
    expect(batch).toMatchObject({
      object: 'batch',
      input_file_id: input.id,
      metadata: { job: 'nightly' },
      request_counts: { total: 3, completed: 2, failed: 1 },
    });
    const read = async (fileId: string | null | undefined): Promise<unknown[]> =>
      (await (await client.files.content(fileId ?? '')).text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    expect(await read(batch.output_file_id)).toMatchObject([
      { custom_id: 'one', response: { status_code: 200, body: { object: 'chat.completion' } } },
      { custom_id: 'two', response: { status_code: 200 } },
    ]);
    expect(await read(batch.error_file_id)).toMatchObject([{ custom_id: 'bad', response: { status_code: 400 } }]);
    const ids: string[] = [];
    for await (const listed of client.batches.list({ limit: 1 })) ids.push(listed.id);
    expect(ids).toEqual([id]);
    await expect(client.batches.cancel(id)).rejects.toMatchObject({ status: 409 });
  });
});
