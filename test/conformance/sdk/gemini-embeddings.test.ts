import { GoogleGenAI } from '@google/genai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { failureOf } from '../../support/async/failure-of.ts';
import { HOST_KINDS, type HostKind, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { startVectorUpstream, VECTORS } from '../../support/upstreams/vector-upstream.ts';

async function open(kind: HostKind, expose: readonly 'gemini'[]) {
  const made = createTestGateway({ baseUrl: await startVectorUpstream() }, { models: [VECTORS] });
  const host = await startHost(kind, made.gateway, { expose });
  onTestFinished(host.close);
  onTestFinished(made.close);
  const mount = host.apiUrl.replace(/\/api\/v1$/, '');
  return { ...made, mount, client: new GoogleGenAI({ apiKey: TEST_KEY, httpOptions: { baseUrl: mount } }) };
}

describe.each(HOST_KINDS)('embeddings for @google/genai on %s', (kind) => {
  test('come of several contents and of one, and are recorded', async () => {
    const { client, mount, nextRecord } = await open(kind, ['gemini']);
    const recorded = nextRecord();
    const { embeddings } = await client.models.embedContent({
      model: 'test/vectors',
      contents: ['one', 'three'],
      config: { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 },
    });
    expect(embeddings).toEqual([{ values: [3, -0.5] }, { values: [5, 0.5] }]);
    expect((await recorded).generation).toMatchObject({ api_type: 'embeddings', tokens_prompt: 5 });
    // The client itself always sends a batch.
    const response = await fetch(`${mount}/v1beta/models/test/vectors:embedContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': TEST_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ content: { parts: [{ text: 'seven' }] }, output_dimensionality: 2 }),
    });
    expect(await response.json()).toMatchObject({
      embedding: { values: [5, -0.5] },
      usageMetadata: { promptTokenCount: expect.any(Number) as number },
    });
    const { supportedActions } = await client.models.get({ model: 'test/vectors' });
    expect(supportedActions).toEqual(['embedContent', 'batchEmbedContents']);
  });

  test('are refused in the form of Google', async () => {
    const { client, mount } = await open(kind, ['gemini']);
    const send = (requests: readonly object[]) =>
      fetch(`${mount}/v1beta/models/test/vectors:batchEmbedContents`, {
        method: 'POST',
        headers: { 'x-goog-api-key': TEST_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ requests }),
      });
    const content = { parts: [{ text: 'a' }] };
    const refused = await Promise.all([
      send([]),
      send([{ content }, { content, taskType: 'CLUSTERING' }]),
      send([{ content, model: 'models/test/other' }]),
      send([{ content: { parts: [{ inlineData: { data: 'AA', mimeType: 'image/png' } }] } }]),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const response of refused)
      expect(await response.json()).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    const unknown = client.models.embedContent({ model: 'test/nothing', contents: 'a' });
    expect(await failureOf(unknown)).toMatchObject({ status: 404 });
    const chat = client.models.generateContent({ model: 'test/vectors', contents: 'a' });
    expect(await failureOf(chat)).toMatchObject({ status: 400 });
  });
});

// The listener of the server has no routes beside those of the gateway.
test.each(HOST_KINDS.filter((kind) => kind !== 'node'))(
  '%s keeps the paths of Gemini until they are exposed',
  async (kind) => {
    const { mount } = await open(kind, []);
    const headers = { 'x-goog-api-key': TEST_KEY, 'content-type': 'application/json' };
    const asked = await Promise.all([
      fetch(`${mount}/v1beta/models`, { headers }),
      fetch(`${mount}/v1/models`, { headers }),
      fetch(`${mount}/v1beta/models/test/vectors:embedContent`, { method: 'POST', headers, body: '{}' }),
    ]);
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404]);
  },
);
