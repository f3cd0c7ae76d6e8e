import { Ollama } from 'ollama';
import { describe, expect, onTestFinished, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { startVectorUpstream, VECTORS } from '../../support/upstreams/vector-upstream.ts';

async function open(kind: HostKind, expose: readonly 'ollama'[]) {
  const made = createTestGateway({ baseUrl: await startVectorUpstream() }, { models: [VECTORS] });
  const host = await startHost(kind, made.gateway, { expose });
  onTestFinished(host.close);
  onTestFinished(made.close);
  const headers = { Authorization: `Bearer ${TEST_KEY}` };
  return { ...made, client: new Ollama({ host: host.apiUrl.replace(/\/api\/v1$/, ''), headers }) };
}

describe.each(HOST_KINDS)('embeddings for the Ollama client on %s', (kind) => {
  test('come of several texts and of one, and are recorded', async () => {
    const { client, nextRecord } = await open(kind, ['ollama']);
    const recorded = nextRecord();
    const { embeddings, prompt_eval_count, model } = await client.embed({
      model: 'test/vectors:latest',
      input: ['one', 'three'],
      truncate: true,
    });
    expect(embeddings).toEqual([
      [3, -0.5],
      [5, 0.5],
    ]);
    expect([model, prompt_eval_count]).toEqual(['test/vectors', 5]);
    expect((await recorded).generation).toMatchObject({ api_type: 'embeddings', tokens_prompt: 5 });
    expect((await client.embed({ model: 'test/vectors', input: 'seven' })).embeddings).toEqual([[5, -0.5]]);
    expect((await client.embeddings({ model: 'test/vectors', prompt: 'seven' })).embedding).toEqual([5, -0.5]);
    expect((await client.show({ model: 'test/vectors' })).capabilities).toEqual(['embedding']);
  });

  test('are refused in the form of Ollama', async () => {
    const { client } = await open(kind, ['ollama']);
    const failures = await Promise.all([
      failureOf(client.embed({ model: 'test/nothing', input: 'a' })),
      failureOf(client.embed({ model: 'test/vectors', input: [] })),
      failureOf(client.chat({ model: 'test/vectors', messages: [{ role: 'user', content: 'a' }] })),
    ]);
    expect(failures.map((failure) => (failure as { status_code: number }).status_code)).toEqual([404, 400, 400]);
    expect(String(failures[1])).toContain('input: ');
  });
});

// The listener of the server has no routes beside those of the gateway.
test.each(HOST_KINDS.filter((kind) => kind !== 'node'))(
  '%s keeps the paths of Ollama until they are exposed',
  async (kind) => {
    const { client } = await open(kind, []);
    expect(await failureOf(client.embed({ model: 'test/vectors', input: 'a' }))).toMatchObject({ status_code: 404 });
    expect(await failureOf(client.list())).toMatchObject({ status_code: 404 });
  },
);
