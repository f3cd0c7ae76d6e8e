import { expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { settle } from '../../../../test/support/async/virtual-platform.ts';
import { createCoreGateway, createScriptedProvider } from '../../../../test/support/gateways/core-gateway.ts';
import { toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { opening, piece, respondWith, stop, usage } from '../../../../test/support/upstreams/good-stream.ts';
import {
  createReplayTransport,
  createScriptedTransport,
  type ScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { FilterFunction } from '../guardrails/filter-functions.ts';
import type { Provider } from '../providers/provider.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

const HELD = { stream: true, provider: { sort: 'price', hold_stream: true } };
/** 10 tokens of the prompt and 5 of the completion, as `usage` tells. */
const COST_NANO_USD = 20_000;

interface Leaving {
  readonly transport: ScriptedTransport;
  readonly asking: Promise<unknown>;
  readonly client: AbortController;
}

/** Leaves once so many upstreams have been asked, and what they sent has been read. */
async function leaveAfter(exchanges: number, { transport, asking, client }: Leaving): Promise<void> {
  while (transport.exchanges.length < exchanges) await settle();
  await settle();
  client.abort();
  await asking;
  await settle();
}

test.each([
  ['as upstream has counted it', [usage], { nanoUsd: COST_NANO_USD, isEstimated: false }],
  ['by an estimate', [], { nanoUsd: expect.any(Number) as number, isEstimated: true }],
])('a held stream whose client leaves costs what has come, %s', async (_name, counts, { nanoUsd, isEstimated }) => {
  const transport = createScriptedTransport((exchange) =>
    respondWith(exchange, opening, piece('Half a text'), ...counts),
  );
  const { chat, store } = createCoreGateway(transport);
  const client = new AbortController();
  const asking = chat(HELD, { signal: client.signal }).catch(() => undefined);
  await leaveAfter(1, { transport, asking, client });
  expect(transport.exchanges).toHaveLength(1);
  expect(transport.latest().isClosed).toBe(true);
  expect(store.appended).toHaveLength(1);
  const { record } = store.appended[0] ?? {};
  expect(record?.generation).toMatchObject({
    cancelled: true,
    provider_name: 'Acme',
    usage_estimated: isEstimated,
    tokens_prompt: expect.any(Number) as number,
  });
  expect(record?.costNanoUsd).toEqual(nanoUsd);
  expect(record?.costNanoUsd).toBeGreaterThan(0);
});

test('a held stream whose client leaves at any moment after its last chunk costs what it has', async () => {
  const chunks: ChatChunk[] = [
    {
      choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop', native_finish_reason: 'stop' }],
      usage: usage.usage,
    },
  ];
  for (let turns = 0; turns < 20; turns += 1) {
    const client = new AbortController();
    const acme: Provider = {
      ...createScriptedProvider('acme', []),
      async *chat() {
        yield chunks;
        void leave();
      },
    };
    const leave = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      client.abort();
    };
    const { chat, store } = createCoreGateway([acme, createScriptedProvider('beta', [])]);
    await chat(HELD, { signal: client.signal }).catch(() => undefined);
    await settle();
    expect([turns, store.appended.map(({ record }) => record.costNanoUsd)]).toEqual([turns, [COST_NANO_USD]]);
  }
});

test('a held stream whose client leaves before its first token costs nothing', async () => {
  const transport = createScriptedTransport((exchange) => exchange.respond());
  const { chat, store } = createCoreGateway(transport);
  const client = new AbortController();
  const asking = chat(HELD, { signal: client.signal }).catch(() => undefined);
  await leaveAfter(1, { transport, asking, client });
  expect(store.appended.map(({ record }) => record.costNanoUsd)).toEqual([0]);
});

test('a held stream that breaks off costs nothing, and the one that comes in its place costs what it has', async () => {
  const transport = createScriptedTransport((exchange) => {
    respondWith(exchange, opening, piece('Half a text'), usage);
    if (transport.exchanges.length === 1) exchange.end();
  });
  const { chat, store } = createCoreGateway(transport);
  const client = new AbortController();
  const asking = chat(HELD, { signal: client.signal }).catch(() => undefined);
  await leaveAfter(2, { transport, asking, client });
  expect(transport.exchanges).toHaveLength(2);
  expect(store.appended.map(({ record }) => record)).toMatchObject([
    { costNanoUsd: 3 * COST_NANO_USD, generation: { provider_name: 'Beta' } },
  ]);
});

test.each([true, false])(
  'a completion whose client leaves while a filter reads it costs what it has, and none of it is stored (stream: %s)',
  async (stream) => {
    const reads = createDeferred<undefined>();
    const filter: FilterFunction = {
      name: 'slow',
      output() {
        reads.resolve(undefined);
        return new Promise(() => undefined);
      },
    };
    const transport = createReplayTransport(
      stream
        ? { pieces: toEventPieces([opening, piece('a secret'), stop, usage]) }
        : {
            headers: { 'content-type': 'application/json' },
            pieces: [
              JSON.stringify({
                choices: [{ index: 0, message: { content: 'a secret' }, finish_reason: 'stop' }],
                usage: usage.usage,
              }),
            ],
          },
    );
    const { chat, store } = createCoreGateway(transport, {
      logging: { inputOutput: true },
      guardrails: { filters: [filter] },
    });
    const client = new AbortController();
    const asking = chat({ stream }, { signal: client.signal }).catch(() => undefined);
    await reads.promise;
    client.abort();
    await asking;
    await settle();
    expect(store.appended.map(({ record }) => record)).toMatchObject([
      { costNanoUsd: COST_NANO_USD, generation: { cancelled: true, provider_name: 'Acme', tokens_completion: 5 } },
    ]);
    expect(JSON.stringify(store.appended[0]?.content)).not.toContain('secret');
  },
);
