import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { createFetchTransport, createGateway, GatewayError, type Provider, type Transport } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { providerCases, type ProviderSubject } from '@model-gateway/core/testing';
import { listen } from '@model-gateway/node/http';
import { createUndiciTransport } from '@model-gateway/node/undici';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';

import { createSignedFramesProvider, signatureOf, toFrame } from '../../support/providers/signed-frames-provider.ts';
import { startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

const KEY = 'signing-key';
const PARTS = [{ text: 'Hello ' }, { text: 'you ☕' }, { stopReason: 'stop', usage: { in: 3, out: 2 } }];
const FRAMES = 'application/vnd.amazon.eventstream';

const create = (transport: Transport, baseUrl = 'https://up.example', findSigningKey = async () => KEY): Provider =>
  createSignedFramesProvider({ slug: 'signed', baseUrl, transport, findSigningKey });

/** The contract writes events as texts, and frames are bytes: each text stands for its frame. */
const FRAME_OF = new Map(PARTS.map((part) => [JSON.stringify(part), toFrame(part)]));

/** Sends the frames in the place of the texts that stand for them, in the chunking that they come in. */
const withFrames = (transport: Transport): Transport => ({
  async send(request) {
    const response = await transport.send(request);
    if (response.headers['content-type'] !== FRAMES) return response;
    return { ...response, body: toFrames(response.body) };
  },
});

/** Each piece of text becomes the part of the frames that it is a part of. */
function toFrames(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const all = PARTS.map((part) => new TextEncoder().encode(JSON.stringify(part)));
  const map = all.flatMap((written) => {
    const frame = FRAME_OF.get(new TextDecoder().decode(written)) as Uint8Array;
    // The last byte of a text stands for all that is left of its frame.
    return Array.from(written, (_, at) =>
      at === written.length - 1 ? frame.subarray(at) : frame.subarray(at, at + 1),
    );
  });
  return {
    [Symbol.asyncIterator]() {
      const pieces = body[Symbol.asyncIterator]();
      let at = 0;
      return {
        async next() {
          const step = await pieces.next();
          if (step.done === true) return step;
          const from = at;
          at += step.value.byteLength;
          return { done: false, value: Buffer.concat(map.slice(from, at)) };
        },
        return: () => pieces.return?.() ?? Promise.resolve({ done: true, value: undefined }),
      };
    },
  };
}

const subject: ProviderSubject = {
  create: (transport) => create(withFrames(transport)),
  completion: {
    whole: JSON.stringify({ text: 'Hello you ☕', stopReason: 'stop', usage: { in: 3, out: 2 } }),
    events: PARTS.map((part) => JSON.stringify(part)),
    streamType: FRAMES,
    expected: {
      content: 'Hello you ☕',
      finishReason: 'stop',
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    },
  },
  refusals: [{ status: 429, body: '{"message":"Slow down"}', code: 'rate_limit_exceeded' }],
};

describe('a provider of the public kit, with binary frames and signed requests', () => {
  test.for(providerCases.filter(({ needs }) => needs !== 'chatWhole').map((one) => [one.title, one] as const))(
    '%s',
    ([, one]) => one.run(subject),
  );
});

interface Upstream {
  readonly url: string;
  readonly isSigned: () => readonly boolean[];
}

/** A real server that checks signatures and sends frames, in these pieces. */
async function startUpstream(pieces: readonly Uint8Array[]): Promise<Upstream> {
  const signed: boolean[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    signed.push(request.headers['x-signature'] === signatureOf(`${request.url}\n${body}`, KEY));
    const isStream = request.url?.endsWith('-stream') === true;
    response.writeHead(200, { 'content-type': isStream ? FRAMES : 'application/json' });
    if (isStream) for (const piece of pieces) response.write(piece);
    response.end(isStream ? undefined : subject.completion.whole);
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isSigned: () => signed };
}

async function openClient(providers: readonly Provider[]): Promise<OpenAI> {
  const gateway = createGateway({
    store: createMemoryStore(),
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    providers,
    models: [{ id: 'acme/text', endpoints: providers.map(({ slug }) => ({ provider: slug, providerModel: 'text' })) }],
    bootstrapKeys: [{ key: 'sk-app', kind: 'api', name: 'app' }],
  });
  const { url, close } = await listen(gateway, { port: 0 });
  onTestFinished(() => close());
  return new OpenAI({ apiKey: 'sk-app', baseURL: `${url}/api/v1`, maxRetries: 0 });
}

const CHAT = { model: 'acme/text', messages: [{ role: 'user' as const, content: 'Hi' }] };

async function readStream(client: OpenAI): Promise<string> {
  let said = '';
  for await (const { choices } of await client.chat.completions.create({ ...CHAT, stream: true })) {
    said += choices[0]?.delta.content ?? '';
  }
  return said;
}

describe.each([
  ['fetch', createFetchTransport],
  ['undici', createUndiciTransport],
] as const)('over real connections by %s', (_, createTransport) => {
  test('signs whole and streamed calls over their bodies, and reads frames in any chunking', async () => {
    const all = Buffer.concat(PARTS.map(toFrame));
    const ways = [PARTS.map(toFrame), Array.from(all, (byte) => Uint8Array.of(byte)), [all]];
    for (const pieces of ways) {
      const up = await startUpstream(pieces);
      const client = await openClient([create(createTransport(), up.url)]);
      expect((await client.chat.completions.create(CHAT)).choices[0]?.message.content).toBe('Hello you ☕');
      expect(await readStream(client)).toBe('Hello you ☕');
      expect(up.isSigned()).toEqual([true, true]);
    }
  });

  test('a frame that is damaged or cut ends the stream with an error', async () => {
    const frames = PARTS.map(toFrame);
    const damaged = Buffer.from(frames[1] as Uint8Array);
    damaged[14] = 0;
    for (const pieces of [
      [frames[0] as Uint8Array, damaged],
      [frames[0] as Uint8Array, (frames[1] as Uint8Array).subarray(0, 20)],
    ]) {
      const up = await startUpstream(pieces);
      const client = await openClient([create(createTransport(), up.url)]);
      await expect(readStream(client)).rejects.toThrow(/The provider sent a (damaged|part of a) frame/);
    }
  });

  test('a signature that cannot be made fails the attempt, and the next endpoint responds', async () => {
    const second = await startScriptedUpstream();
    onTestFinished(() => second.close());
    const transport = createTransport();
    const up = await startUpstream([]);
    const broken = create(transport, up.url, () => Promise.reject(new Error('hush: no credentials')));
    const other = createOpenAiProvider({ slug: 'z', baseUrl: second.baseUrl, transport });
    const client = await openClient([broken, other]);
    const order = { provider: { order: ['signed', 'z'] } };
    const completion = await client.chat.completions.create({ ...CHAT, ...order });
    expect(completion.choices[0]?.message.content).toContain('Hello');
    const alone = await openClient([broken]);
    const error = await alone.chat.completions.create(CHAT).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 502 });
    expect(String(error)).toContain('the headers of the request could not be made');
    expect(String(error)).not.toContain('hush');
    const refusing = create(transport, up.url, () => {
      throw new GatewayError('rate_limit_exceeded', 'Too many signatures');
    });
    const own = await openClient([refusing]);
    await expect(own.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 429 });
    expect(up.isSigned()).toEqual([]);
  });
});
