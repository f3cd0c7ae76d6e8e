import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { createGateway, type Logger } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { loadConfig } from '@model-gateway/node';
import { listen } from '@model-gateway/node/http';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';

import { connectProviders } from '../../../packages/server/src/open/connect-providers.ts';
import { MISTRAL } from '../../support/ai-sdk/chat-packages.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';
import { startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const LOGGER: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const env = { KEY_OF_MISTRAL: 'key-of-mistral' };

/** Writes a config file, with packages installed beside it where they are. */
function writeConfig(config: object, packages: string | null = PACKAGES): string {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (packages !== null) symlinkSync(packages, join(folder, 'node_modules'));
  const file = join(folder, 'gateway.config.json');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const toConfig = (baseURL: string): object => ({
  providers: [{ slug: 'mistral', package: '@ai-sdk/mistral', options: { apiKey: 'env:KEY_OF_MISTRAL', baseURL } }],
});

/** A gateway with a package in its config file, whose upstream speaks OpenAI's form at a real port, and its client. */
async function start(address?: string) {
  const up = await startScriptedUpstream();
  onTestFinished(() => up.close());
  const config = loadConfig({ file: writeConfig(toConfig(address ?? up.baseUrl)), env });
  const { providers, closeAfterwards } = await connectProviders(config, { logger: LOGGER });
  onTestFinished(async () => void (await Promise.all(closeAfterwards.map((each) => each.close()))));
  const store = createMemoryStore();
  const gateway = createGateway({
    store,
    providers,
    models: ['text', 'tools', 'held', 'error-event', 'cut', 'rate-limited'].map((name) => ({
      id: `acme/${name}`,
      endpoints: [
        { provider: 'mistral', providerModel: name, pricing: { prompt: '0.000001', completion: '0.000002' } },
      ],
    })),
    bootstrapKeys: [
      { key: 'sk-app', kind: 'api', name: 'app' },
      { key: 'sk-admin', kind: 'management', name: 'admin' },
    ],
  });
  const { url, close } = await listen(gateway, { port: 0 });
  onTestFinished(() => close());
  const client = new OpenAI({ baseURL: `${url}/api/v1`, apiKey: 'sk-app', maxRetries: 0 });
  const contentOf = async (id: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/generation/content?id=${id}`, {
      headers: { authorization: 'Bearer sk-app' },
    });
    return response.json();
  };
  return { up, client, config, contentOf };
}

const messages = [{ role: 'user' as const, content: 'Hi' }];

/** An upstream at a real port that sends what Mistral does, its streams in these pieces. */
async function startMistral(pieces: readonly Uint8Array[]): Promise<string> {
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const isStreamed = (JSON.parse(body) as { readonly stream?: boolean }).stream === true;
      response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
      for (const piece of isStreamed ? pieces : [MISTRAL.whole]) response.write(piece);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test.for(chunkings(MISTRAL.events))(
  'OpenAI’s client gets text, usage and cost of a package, the same whole and streamed, %s',
  async ([, pieces]) => {
    const { client, config } = await start(await startMistral(pieces));
    expect(config.optionSecrets).toEqual(['key-of-mistral']);
    const whole = await client.chat.completions.create({ model: 'acme/text', messages });
    expect(whole.choices[0]?.message.content).toBe('Hello you');
    expect(whole.usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 7, cost: 0.000044 });
    const stream = await client.chat.completions.create({
      model: 'acme/text',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let streamed = '';
    let usage: unknown;
    for await (const chunk of stream) {
      streamed += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(streamed).toBe('Hello you');
    expect(usage).toEqual(whole.usage);
  },
);

test('its calls of tools, streamed, are those that the client puts together', async () => {
  const { client } = await start();
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object' } } }];
  const stream = client.chat.completions.stream({ model: 'acme/tools', messages, tools });
  const { choices } = await stream.finalChatCompletion();
  expect(choices[0]?.finish_reason).toBe('tool_calls');
  const [call] = choices[0]?.message.tool_calls ?? [];
  expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
  expect(() => JSON.parse(call?.type === 'function' ? call.function.arguments : '') as unknown).not.toThrow();
});

test('what a package has left out is in the content of the generation', async () => {
  const { client, contentOf } = await start();
  const asked = { model: 'acme/text', messages, top_k: 3 };
  const { id } = await client.chat.completions.create(asked);
  await expect
    .poll(() => contentOf(id))
    .toMatchObject({
      data: { output: { warnings: [expect.stringContaining('topK') as string] } },
    });
});

test.for(['cut', 'error-event'])(
  'a stream that fails (%s) is an error for the client, and no success',
  async (name) => {
    const { client } = await start();
    const reading = async (): Promise<void> => {
      const stream = await client.chat.completions.create({ model: `acme/${name}`, messages, stream: true });
      for await (const chunk of stream) void chunk;
    };
    await expect(reading()).rejects.toThrow(/.+/);
  },
);

test('a client that leaves ends the request of the package', async () => {
  const { up, client } = await start();
  const calling = up.nextCall();
  const stream = await client.chat.completions.create({ model: 'acme/held', messages, stream: true });
  for await (const chunk of stream) {
    if (chunk.choices.length > 0) break;
  }
  stream.controller.abort();
  expect(await (await calling).closed).toBe(false);
});

test('a package that is not there ends the start with the command that installs it', async () => {
  const config = loadConfig({ file: writeConfig(toConfig('https://up.example/v1'), null), env });
  const connecting = connectProviders(config, { logger: LOGGER });
  await expect(connecting).rejects.toThrow(/provider "mistral".*npm install @ai-sdk\/mistral/);
});
