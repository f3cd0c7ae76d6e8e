import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { ModelDefinition } from '@model-gateway/core';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';

const VECTORS: ModelDefinition = {
  id: 'test/vectors',
  context_length: 8192,
  architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
  endpoints: [{ provider: 'scripted', providerModel: 'vectors', pricing: { prompt: '0.000001' } }],
};

/** An upstream that gives each text the vector of its length and its place, as numbers. */
async function startUpstream(): Promise<string> {
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { input } = (await json(request)) as { input: string[] };
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, index - 0.5] }));
    const usage = { prompt_tokens: 5, total_tokens: 5 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model: 'vectors', data, usage }));
  };
  const server = createServer((request, response) => void reply(request, response));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe.each(HOST_KINDS)('embeddings for the openai client on %s', (kind) => {
  test.each([undefined, 'float', 'base64'] as const)('come as the client asks (%s)', async (encoding_format) => {
    const { gateway, nextRecord, close } = createTestGateway({ baseUrl: await startUpstream() }, { models: [VECTORS] });
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
