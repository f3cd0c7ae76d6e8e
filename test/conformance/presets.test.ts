import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  type ConverseStreamCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { listen, loadConfig } from '@model-gateway/node';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, onTestFinished, test, vi } from 'vitest';

import { openStore } from '../../packages/server/src/open/open-store.ts';
import { compose } from '../../packages/server/src/serve/compose.ts';
import { chunksOf } from '../support/gateways/core-gateway.ts';
import {
  type RawRequest,
  type RawUpstream,
  sendStream,
  startRawUpstream,
  toRawResponse,
} from '../support/upstreams/raw-upstream.ts';
import { script as anthropic } from '../support/wires/anthropic.ts';
import { script as bedrock } from '../support/wires/bedrock.ts';
import { script as google } from '../support/wires/google.ts';
import type { WireScript } from '../support/wires/wire-script.ts';

const KEY = 'sk-gw-v1-presets';
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts the server's own composition on a config file with this one provider, and posts to its model. */
async function startGateway(provider: object): Promise<(body: object) => Promise<Response>> {
  const folder = mkdtempSync(join(tmpdir(), 'presets-'));
  const file = join(folder, 'gateway.config.json');
  writeFileSync(
    file,
    JSON.stringify({
      server: { port: 0 },
      store: { type: 'memory' },
      auth: { bootstrapKeys: [{ key: KEY }] },
      providers: [{ slug: 'up', ...provider }],
      models: [
        {
          id: 'test/model',
          endpoints: [
            { provider: 'up', providerModel: 'chat-1', pricing: { prompt: '0.000001', completion: '0.000002' } },
          ],
        },
      ],
    }),
  );
  const config = loadConfig({ file, env: {}, presets: PRESETS });
  const store = await openStore(config, logger);
  const options = { config, store, logger, extraKeys: [], demoFixturesDir: null };
  const { gateway, closeAfterwards } = await compose(options);
  const listener = await listen(gateway, { port: 0, logger });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
    for (const part of closeAfterwards) await part.close();
    rmSync(folder, { recursive: true });
  });
  return (body) =>
    fetch(`${listener.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/model', messages: [{ role: 'user', content: 'Hello' }], ...body }),
    });
}

const isStream = ({ body }: RawRequest): boolean => /"stream":true/.test(body);

/** An upstream that responds as the preset's written case does. */
function startPresetUpstream(preset: string): Promise<RawUpstream> {
  const read = (name: string): string =>
    readFileSync(
      fileURLToPath(new URL(`../../fixtures/${preset}/chat-completions/synthetic-weather/${name}`, import.meta.url)),
      'utf8',
    );
  return startRawUpstream((request) => {
    if (isStream(request)) void sendStream(request.socket, read('response.sse').split(/(?<=\n)/));
    else request.socket.write(toRawResponse(200, JSON.parse(read('response.json')) as object));
  });
}

/** An upstream of another wire that says a text. */
function startWireUpstream({ responses: { text }, toEvent, end }: WireScript): Promise<RawUpstream> {
  return startRawUpstream(({ socket, head }) => {
    if (/alt=sse|converse-stream/.test(head))
      void sendStream(socket, [...(text.events ?? []).map(toEvent), end].filter(Boolean));
    else socket.write(toRawResponse(200, text.whole));
  });
}

interface SeenCompletions {
  readonly provider: string;
  readonly choices: readonly { readonly message: { readonly content: string; readonly reasoning: string | null } }[];
  readonly usage: object;
}

/** Asks whole and streamed, and returns what both agree on. */
async function askTwice(ask: (body: object) => Promise<Response>, body: object): Promise<SeenCompletions> {
  const response = await ask(body);
  const whole = (await response.json()) as SeenCompletions;
  expect({ status: response.status, whole }).toMatchObject({ status: 200 });
  const chunks = chunksOf(await (await ask({ ...body, stream: true })).text());
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const join = (field: string): string => deltas.map((delta) => (delta[field] as string | undefined) ?? '').join('');
  const { message } = whole.choices[0] ?? {};
  expect({ content: join('content'), reasoning: join('reasoning') || null }).toEqual({
    content: message?.content,
    reasoning: message?.reasoning,
  });
  expect(chunks.find(({ usage }) => usage)?.usage).toEqual(whole.usage);
  return whole;
}

const bodyOf = ({ body }: RawRequest): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

test('Azure gets its key in a header of its own, at the address of the deployment', async () => {
  const upstream = await startPresetUpstream('azure');
  const ask = await startGateway({
    preset: 'azure',
    baseUrl: `http://127.0.0.1:${upstream.port}/openai/deployments/{model}`,
    query: { 'api-version': '2024-10-21' },
    apiKey: 'key-of-azure',
  });
  const completion = await askTwice(ask, { max_tokens: 50, top_k: 40 });
  expect(completion).toMatchObject({
    provider: 'Azure',
    choices: [{ message: { content: '{"celsius":-8}', reasoning: null } }],
    usage: { prompt_tokens: 40, completion_tokens: 30, cost: 0.0001 },
  });
  for (const request of upstream.requests) {
    expect(request.head).toMatch(/^POST \/openai\/deployments\/chat-1\/chat\/completions\?api-version=2024-10-21 /);
    expect(request.head).toMatch(/^api-key: key-of-azure$/im);
    expect(request.head).not.toMatch(/^authorization:/im);
    expect(bodyOf(request)).toMatchObject({ max_completion_tokens: 50 });
    expect(bodyOf(request)).not.toHaveProperty('top_k');
  }
});

test('Mistral gets its own names, ids and thoughts, and its usage is read without having been asked for', async () => {
  const upstream = await startPresetUpstream('mistral');
  const ask = await startGateway({ preset: 'mistral', baseUrl: upstream.baseUrl, apiKey: 'key-of-mistral' });
  const call = { id: 'call_of_another', type: 'function', function: { name: 'f', arguments: '{}' } };
  const completion = await askTwice(ask, {
    seed: 7,
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    messages: [
      { role: 'user', content: 'Hello', name: 'ada' },
      { role: 'assistant', content: null, tool_calls: [call], reasoning: 'hm' },
      { role: 'tool', tool_call_id: 'call_of_another', content: 'ok' },
    ],
  });
  expect(completion).toMatchObject({
    provider: 'Mistral',
    choices: [{ message: { content: '{"celsius":-8}', reasoning: 'It says minus eight.' } }],
    usage: { prompt_tokens: 40, completion_tokens: 30, cost: 0.0001 },
  });
  for (const request of upstream.requests) {
    expect(request.head).toMatch(/^POST \/v1\/chat\/completions /);
    expect(request.head).toMatch(/^authorization: Bearer key-of-mistral$/im);
    const body = bodyOf(request);
    expect(body).toMatchObject({ random_seed: 7, tool_choice: 'any' });
    expect(body).not.toHaveProperty('stream_options');
    expect(body['messages']).toEqual([
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }],
        tool_calls: [{ ...call, id: 'call00000' }],
      },
      { role: 'tool', content: 'ok', tool_call_id: 'call00000' },
    ]);
  }
});

test('Together gets a switch for reasoning, and its block of thoughts is told from the response', async () => {
  const upstream = await startPresetUpstream('together');
  const ask = await startGateway({ preset: 'together', baseUrl: upstream.baseUrl, apiKey: 'key-of-together' });
  const completion = await askTwice(ask, { reasoning: { effort: 'xhigh' }, top_k: 40 });
  expect(completion).toMatchObject({
    provider: 'Together',
    choices: [{ message: { content: '{"celsius":-8}', reasoning: 'It says minus eight.' } }],
    usage: { prompt_tokens: 40, completion_tokens: 30, cost: 0.0001 },
  });
  expect(upstream.requests.map((request) => bodyOf(request)['stream_options'])).toEqual([
    undefined,
    { include_usage: true },
  ]);
  for (const request of upstream.requests) {
    expect(bodyOf(request)).toMatchObject({ reasoning: { enabled: true }, reasoning_effort: 'high', top_k: 40 });
  }
});

test('the other wires are spoken by their presets, each with its key where it belongs', async () => {
  const upstream = await startWireUpstream(google);
  const ask = await startGateway({
    preset: 'google',
    baseUrl: `http://127.0.0.1:${upstream.port}/v1beta`,
    apiKey: 'key-of-google',
  });
  const completion = await askTwice(ask, {});
  expect(completion).toMatchObject({
    provider: 'Google AI Studio',
    usage: { prompt_tokens: 12, completion_tokens: 8 },
  });
  expect(upstream.requests.map(({ head }) => head.split('\r\n')[0])).toEqual([
    'POST /v1beta/models/chat-1:generateContent HTTP/1.1',
    'POST /v1beta/models/chat-1:streamGenerateContent?alt=sse HTTP/1.1',
  ]);
  for (const { head } of upstream.requests) expect(head).toMatch(/^x-goog-api-key: key-of-google$/im);

  const messages = await startRawUpstream((request) => {
    const { text } = anthropic.responses;
    if (isStream(request)) void sendStream(request.socket, (text.events ?? []).map(anthropic.toEvent));
    else request.socket.write(toRawResponse(200, text.whole));
  });
  const askOther = await startGateway({ preset: 'anthropic', baseUrl: messages.baseUrl, apiKey: 'key-of-anthropic' });
  const other = await askTwice(askOther, {});
  expect(other).toMatchObject({ provider: 'Anthropic', usage: { prompt_tokens: 12, completion_tokens: 8 } });
  for (const { head } of messages.requests) {
    expect(head).toMatch(/^POST \/v1\/messages /);
    expect(head).toMatch(/^x-api-key: key-of-anthropic$/im);
  }
});

const AWS_KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-of-account', sessionToken: 'session-of-role' };

function stubEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test('Bedrock is called by the identity of the machine, and as AWS’s own client calls it', async () => {
  stubEnvironment({
    AWS_ACCESS_KEY_ID: AWS_KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: AWS_KEYS.secretAccessKey,
    AWS_SESSION_TOKEN: AWS_KEYS.sessionToken,
  });
  const upstream = await startWireUpstream(bedrock);
  const baseUrl = `http://127.0.0.1:${upstream.port}`;
  const ask = await startGateway({ preset: 'bedrock', baseUrl, cloud: { region: 'eu-central-1' } });
  const completion = await askTwice(ask, { max_tokens: 50 });
  expect(completion).toMatchObject({ provider: 'Amazon Bedrock', usage: { prompt_tokens: 12, completion_tokens: 8 } });

  const client = new BedrockRuntimeClient({
    region: 'eu-central-1',
    endpoint: baseUrl,
    credentials: AWS_KEYS,
    requestHandler: new NodeHttpHandler(),
  });
  onTestFinished(() => client.destroy());
  const streamed = upstream.requests.find(({ head }) => head.includes('converse-stream')) as RawRequest;
  const input = { modelId: 'chat-1', ...bodyOf(streamed) } as ConverseStreamCommandInput;
  let text = '';
  const { stream = [] } = await client.send(new ConverseStreamCommand(input));
  for await (const { contentBlockDelta } of stream) text += contentBlockDelta?.delta?.text ?? '';
  expect(text).toBe(completion.choices[0]?.message.content);

  const own = upstream.requests.at(-1) as RawRequest;
  expect(bodyOf(own)).toEqual(bodyOf(streamed));
  expect(own.head.split('\r\n')[0]).toBe(streamed.head.split('\r\n')[0]);
  const signature =
    /^authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /im;
  for (const { head } of [own, streamed]) {
    expect(head).toMatch(signature);
    expect(head).toMatch(/^x-amz-security-token: session-of-role$/im);
  }
});

test('Azure gets a token of Entra ID in place of a key where an identity is asked for', async () => {
  const issuer = await startRawUpstream(({ socket }) => {
    const expires_on = String(Math.floor(Date.now() / 1000) + 3600);
    socket.write(toRawResponse(200, { access_token: 'token-of-entra', expires_on, token_type: 'Bearer' }));
  });
  stubEnvironment({ IDENTITY_ENDPOINT: `http://127.0.0.1:${issuer.port}/msi/token`, IDENTITY_HEADER: 'h' });
  const upstream = await startPresetUpstream('azure');
  const ask = await startGateway({
    preset: 'azure',
    baseUrl: `http://127.0.0.1:${upstream.port}/openai/v1`,
    responses: false,
    cloud: {},
  });
  await askTwice(ask, { max_tokens: 50 });
  for (const { head } of upstream.requests) {
    expect(head).toMatch(/^POST \/openai\/v1\/chat\/completions /);
    expect(head).toMatch(/^authorization: Bearer token-of-entra$/im);
    expect(head).not.toMatch(/^api-key:/im);
  }
  expect(issuer.requests.length).toBe(1);
});
