import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { ModelDefinition } from '@model-gateway/core';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HOST_KINDS, startHost } from '../../support/conformance/hosts.ts';
import { createTestGateway, TEST_KEY } from '../../support/gateways/test-gateway.ts';

const JUDGE: ModelDefinition = {
  id: 'test/judge',
  context_length: 8192,
  architecture: { input_modalities: ['text', 'image'], output_modalities: ['moderation'] },
  endpoints: [{ provider: 'scripted', providerModel: 'judge', pricing: { prompt: '0' } }],
};

/** An upstream of OpenAI's form, for which every input that is short is violent. */
async function startJudge(): Promise<string> {
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { input } = (await json(request)) as { input: string | (string | object)[] };
    const inputs = Array.isArray(input) && typeof input[0] === 'string' ? input : [input];
    const results = inputs.map((one) => {
      const score = JSON.stringify(one).length < 8 ? 0.75 : 0.25;
      return {
        flagged: score > 0.5,
        categories: { violence: score > 0.5, 'self-harm/intent': false },
        category_scores: { violence: score, 'self-harm/intent': 0 },
        category_applied_input_types: { violence: ['text', 'image'], 'self-harm/intent': ['text'] },
      };
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'modr-1', model: 'judge', results }));
  };
  const server = createServer((request, response) => void reply(request, response));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe.each(HOST_KINDS)('moderations for the openai client on %s', (kind) => {
  test('judge texts one by one, and the parts of a message together', async () => {
    const { gateway, nextRecord, close } = createTestGateway({ baseUrl: await startJudge() }, { models: [JUDGE] });
    const host = await startHost(kind, gateway);
    onTestFinished(host.close);
    onTestFinished(close);
    const { moderations } = new OpenAI({ apiKey: TEST_KEY, baseURL: host.apiUrl, maxRetries: 0 });
    const recorded = nextRecord();
    const texts = await moderations.create({ model: 'test/judge', input: ['kill', 'Good morning'] });
    expect(texts.results.map(({ flagged }) => flagged)).toEqual([true, false]);
    expect(texts.results[0]?.category_scores.violence).toBe(0.75);
    expect(texts.results[0]?.category_applied_input_types.violence).toEqual(['text', 'image']);
    expect((await recorded).generation).toMatchObject({ api_type: 'moderation', total_cost: 0 });

    const parts = await moderations.create({
      model: 'test/judge',
      input: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } },
      ],
    });
    expect(parts.results.map(({ flagged }) => flagged)).toEqual([false]);
  });
});
