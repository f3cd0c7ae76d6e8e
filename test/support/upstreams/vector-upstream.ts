import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { ModelDefinition } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

/** A model of vectors, at the provider of test gateways. */
export const VECTORS: ModelDefinition = {
  id: 'test/vectors',
  context_length: 8192,
  architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
  endpoints: [{ provider: 'scripted', providerModel: 'vectors', pricing: { prompt: '0.000001' } }],
};

/** An upstream that gives each text the vector of its length and its place, as numbers. */
export async function startVectorUpstream(): Promise<string> {
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { input } = (await json(request)) as { input: string | string[] };
    const data = [input]
      .flat()
      .map((text, index) => ({ object: 'embedding', index, embedding: [text.length, index - 0.5] }));
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
