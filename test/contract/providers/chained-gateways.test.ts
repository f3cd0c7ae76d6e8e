import type { GatewayOptions, Transport } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import type { OpenAiPreset } from '../../../packages/core/src/providers/provider-preset.ts';
import { bodyOf } from '../../support/gateways/body-of.ts';
import {
  API_KEY,
  chunksOf,
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  readFrames,
} from '../../support/gateways/core-gateway.ts';
import { chunkings, toEventPieces } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport, type ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const CITATION = { url: 'https://a.example/1', title: 'A' };

const replayWhole = (choice: object): ScriptedTransport =>
  createReplayTransport({
    headers: { 'content-type': 'application/json' },
    pieces: [JSON.stringify({ id: 'up-1', choices: [{ index: 0, ...choice }], usage: USAGE })],
  });

const encoder = new TextEncoder();

/** A transport that hands every call to a gateway in this process. */
const toTransport = ({ gateway }: CoreGateway): Transport => ({
  async send({ method, url, headers, body, signal }) {
    const { pathname } = new URL(url);
    const request = { method, path: pathname, query: '', headers, baseUrl: 'https://behind.example', signal };
    const response = await gateway.handle({ ...request, ...bodyOf(typeof body === 'string' ? body : '') });
    return { status: response.status, headers: response.headers, body: toPieces(response.body) };
  },
});

async function* toPieces(body: Awaited<ReturnType<CoreGateway['chat']>>['body']): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') yield encoder.encode(body);
  else if (body instanceof Uint8Array) yield body;
  else if (body !== null) yield* body;
}

/** A gateway whose only provider is a gateway whose provider Acme uses this transport. */
function createChain(
  acme: ScriptedTransport,
  models?: GatewayOptions['models'],
): { readonly front: CoreGateway; readonly behind: CoreGateway } {
  const behind = createCoreGateway(acme, {
    ...(models && { models }),
    moderator: { name: 'Careful', moderate: (text) => ({ isFlagged: text.includes('bad'), reasons: ['violence'] }) },
    web: {
      searchEngine: { name: 'own', search: () => Promise.resolve([{ ...CITATION, snippet: 'So it is.' }]) },
    },
  });
  const { dialect } = PRESETS['gateway'] as OpenAiPreset;
  const provider = createOpenAiProvider({
    slug: 'behind',
    name: 'Behind',
    baseUrl: 'https://behind.example/api/v1',
    apiKey: API_KEY,
    dialect,
    transport: toTransport(behind),
  });
  const atFront = [{ id: 'front/chat', endpoints: [{ provider: 'behind', providerModel: 'acme/chat' }] }];
  return { front: createCoreGateway([provider], { models: atFront }), behind };
}

const ask = { model: 'front/chat', provider: { only: ['acme'] } };

test('tells through two gateways who served a call and what it cost, whole and streamed in any chunking', async () => {
  const expected = {
    provider: 'Acme',
    usage: {
      ...USAGE,
      cost: 0.00002,
      cost_details: { upstream_inference_prompt_cost: 0.00001, upstream_inference_completions_cost: 0.00001 },
    },
  };
  const { front, behind } = createChain(replayWhole({ message: { content: 'Hi' }, finish_reason: 'end_turn' }));
  const whole = jsonOf(await front.chat(ask));
  expect(whole).toMatchObject({ ...expected, choices: [{ finish_reason: 'stop', native_finish_reason: 'end_turn' }] });
  expect(front.store.appended[0]?.record.costNanoUsd).toBe(behind.store.appended[0]?.record.costNanoUsd);

  const events = [
    { choices: [{ index: 0, delta: { content: 'Hi' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'end_turn' }] },
    { choices: [], usage: USAGE },
  ];
  for (const [, pieces] of chunkings(toEventPieces(events))) {
    const chain = createChain(createReplayTransport({ pieces }));
    const chunks = chunksOf(await readFrames(await chain.front.chat({ ...ask, stream: true })).rest());
    expect(chunks.at(-1)).toMatchObject(expected);
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop', native_finish_reason: 'end_turn' }] });
  }
});

test('a cost that the gateway behind does not know is not known in front, either, whole and streamed', async () => {
  const unpriced = [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }];
  const replay = replayWhole({ message: { content: 'Hi' }, finish_reason: 'stop' });
  const whole = createChain(replay, unpriced);
  expect(jsonOf(await whole.behind.chat({ model: 'acme/chat', provider: {} }))).toMatchObject({
    usage: { cost: null },
  });
  expect(jsonOf(await whole.front.chat(ask))).toMatchObject({ usage: { ...USAGE, cost: null } });
  expect(whole.front.store.appended[0]?.record).toMatchObject({ generation: { cost_known: false } });

  const events = [
    { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
    { choices: [], usage: USAGE },
  ];
  for (const [, pieces] of chunkings(toEventPieces(events))) {
    const { front } = createChain(createReplayTransport({ pieces }), unpriced);
    const chunks = chunksOf(await readFrames(await front.chat({ ...ask, stream: true })).rest());
    expect(chunks.at(-1)).toMatchObject({ usage: { ...USAGE, cost: null } });
    expect(front.store.appended[0]?.record).toMatchObject({ generation: { cost_known: false } });
  }
});

test('returns through two gateways what broke off, with its error', async () => {
  const { front } = createChain(replayWhole({ message: { content: 'Hel' }, finish_reason: 'abort' }));
  expect(jsonOf(await front.chat(ask))).toMatchObject({
    choices: [
      {
        message: { content: 'Hel' },
        finish_reason: 'error',
        native_finish_reason: 'abort',
        error: { code: 502, metadata: { error_type: 'provider_unavailable', provider_name: 'Behind' } },
      },
    ],
    usage: { cost: 0.00002 },
  });
  expect(front.store.appended[0]?.record).toMatchObject({
    costNanoUsd: 20_000,
    generation: { finish_reason: 'error', native_finish_reason: 'abort' },
  });
});

test('has the gateway behind moderate, and tells its reasons', async () => {
  const acme = replayWhole({ message: { content: 'Hi' }, finish_reason: 'stop' });
  const { front } = createChain(acme);
  const messages = [{ role: 'user', content: 'something bad' }];
  const response = await front.chat({ ...ask, messages, plugins: [{ id: 'moderation' }] });
  expect([response.status, jsonOf(response)['error']]).toMatchObject([
    403,
    {
      code: 403,
      metadata: {
        error_type: 'permission_denied',
        reasons: ['violence'],
        flagged_input: 'something bad',
        provider_name: 'Behind',
        model_slug: 'front/chat',
      },
    },
  ]);
  expect(acme.exchanges).toHaveLength(0);
});

test('has the gateway behind search the web, and hands back its sources', async () => {
  const { front } = createChain(replayWhole({ message: { content: 'Hi' }, finish_reason: 'stop' }));
  expect(jsonOf(await front.chat({ ...ask, model: 'front/chat:online' }))).toMatchObject({
    choices: [{ message: { annotations: [{ type: 'url_citation', url_citation: CITATION }] } }],
  });
});
