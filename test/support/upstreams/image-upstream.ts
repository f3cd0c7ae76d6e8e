import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import type { ModelDefinition } from '@model-gateway/core';
import { onTestFinished } from 'vitest';

/** One transparent pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A model that makes images, at the provider of test gateways. */
export const PAINTER: ModelDefinition = {
  id: 'test/painter',
  name: 'Test: Painter',
  description: 'Makes images.',
  created: 1_735_689_600,
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
  image: {
    supported_parameters: {
      quality: { type: 'enum', values: ['low', 'high'] },
      n: { type: 'range', min: 1, max: 4 },
      seed: { type: 'boolean' },
    },
    allowed_passthrough_parameters: ['style'],
    supports_streaming: true,
  },
  endpoints: [{ provider: 'scripted', providerModel: 'gpt-image-1', pricing: { generated_image: '0.04' } }],
};

export interface ImageUpstream {
  readonly baseUrl: string;
  /** What was asked for, oldest first: the fields, and how many files came with them. */
  readonly asked: readonly {
    readonly path: string;
    readonly fields: Readonly<Record<string, unknown>>;
    readonly files: number;
  }[];
}

const USAGE = {
  input_tokens: 10,
  output_tokens: 1000,
  total_tokens: 1010,
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
};

/** An upstream of OpenAI's form that makes pixels: with two previews where they are asked for. */
export async function startImageUpstream(): Promise<ImageUpstream> {
  const asked: ImageUpstream['asked'][number][] = [];
  const read = async (request: IncomingMessage): Promise<ImageUpstream['asked'][number]> => {
    const body = await buffer(request);
    const path = request.url ?? '';
    const type = request.headers['content-type'] ?? '';
    if (!type.startsWith('multipart/')) return { path, fields: JSON.parse(body.toString()) as {}, files: 0 };
    const form = [...(await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData())];
    const texts = form.filter(([, value]) => typeof value === 'string');
    return { path, fields: Object.fromEntries(texts), files: form.length - texts.length };
  };
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await read(request);
    asked.push(call);
    const { n = 1, stream } = call.fields;
    if (String(stream) !== 'true') {
      const data = Array.from({ length: Number(n) }, () => ({ b64_json: PIXEL }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ created: 1, data, output_format: 'png', usage: USAGE }));
      return;
    }
    const kind = call.path.endsWith('/edits') ? 'image_edit' : 'image_generation';
    response.setHeader('content-type', 'text/event-stream');
    for (const index of [0, 1]) {
      const event = { type: `${kind}.partial_image`, partial_image_index: index, b64_json: PIXEL };
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    const event = { type: `${kind}.completed`, b64_json: PIXEL, output_format: 'png', usage: USAGE };
    response.end(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const server = createServer((request, response) => void reply(request, response));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}
