import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';
import { startVectorUpstream, VECTORS } from '../../support/upstreams/vector-upstream.ts';

describe.each(HOST_KINDS)('embeddings for the openai client on %s', (kind) => {
  test.each([undefined, 'float', 'base64'] as const)('come as the client asks (%s)', async (encoding_format) => {
    const { gateway, nextRecord, close } = createTestGateway(
      { baseUrl: await startVectorUpstream() },
      { models: [VECTORS] },
    );
    const host = await startHost(kind, gateway);
    onTestFinished(host.close);
    onTestFinished(close);
    const client = new OpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl, maxRetries: 0 });
    const recorded = nextRecord();
    const { data, usage, model } = await client.embeddings.create({
      model: 'test/vectors',
      input: ['one', 'three'],
      ...(encoding_format !== undefined && { encoding_format }),
    });
    const vectors = data.map(({ embedding }) => (typeof embedding === 'string' ? fromBase64(embedding) : embedding));
    expect(vectors).toEqual([
      [3, -0.5],
      [5, 0.5],
    ]);
    expect({ usage, model }).toMatchObject({ usage: { prompt_tokens: 5, total_tokens: 5 }, model: 'test/vectors' });
    expect((await recorded).generation).toMatchObject({ api_type: 'embeddings', tokens_prompt: 5 });
  });
});

function fromBase64(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.byteLength / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
