import { getEventListeners } from 'node:events';

import { expect, test } from 'vitest';

import { settle } from '../../../../test/support/async/virtual-platform.ts';
import {
  chunksOf,
  createCoreGateway,
  createScriptedProvider,
  parseFrames,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toEvent } from '../../../../test/support/upstreams/chunkings.ts';
import { GOOD, piece, respondWith, stop } from '../../../../test/support/upstreams/good-stream.ts';
import {
  createReplayTransport,
  createScriptedTransport,
} from '../../../../test/support/upstreams/scripted-transport.ts';
import type { Provider } from '../providers/provider.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

// Keep-alive

test('responds with a comment when nothing has come within the interval, and repeats it', async () => {
  const transport = createScriptedTransport();
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 10_000 } });
  let hasResponded = false;
  const pending = chat({ stream: true }).then((response) => ((hasResponded = true), response));
  await platform.advance(9_900);
  expect(hasResponded).toBe(false);
  await platform.advance(200);
  const reader = readFrames(await pending);
  expect(await reader.next()).toMatch(/^: .+\n\n$/);
  const second = reader.next();
  await platform.advance(10_100);
  expect(await second).toMatch(/^: .+\n\n$/);

  respondWith(transport.latest(), piece('Hi'));
  expect(chunksOf((await reader.next()) ?? '')[0]?.choices[0]?.delta.content).toBe('Hi');
  const silent = reader.next();
  await platform.advance(10_100);
  expect(await silent).toMatch(/^: /);
  const { pulls } = transport.latest();
  const stillSilent = reader.next();
  await platform.advance(10_100);
  expect(await stillSilent).toMatch(/^: /);
  // Upstream was read once, however often the client's reader returned.
  expect(transport.latest().pulls).toBe(pulls);
  respondWith(transport.latest(), stop);
  transport.exchanges[0]?.end();
  expect(parseFrames(await reader.rest()).at(-1)).toBe('done');
});

test('still tries the next endpoint after a comment, and reports its failure in-band', async () => {
  const transport = createScriptedTransport();
  const { chat, platform, store } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = chat({ stream: true });
  await platform.advance(1100);
  const response = await pending;
  expect(response.status).toBe(200);
  const reader = readFrames(response);
  await reader.next();
  transport.exchanges[0]?.respond(503);
  transport.exchanges[0]?.end();
  await settle();
  expect(transport.exchanges).toHaveLength(2);
  transport.exchanges[1]?.respond(429);
  transport.exchanges[1]?.end();
  const frames = parseFrames(await reader.rest());
  expect(frames).toEqual([
    expect.objectContaining({
      id: response.headers['x-generation-id'],
      object: 'chat.completion.chunk',
      model: 'acme/chat',
      error: expect.objectContaining({ code: 429 }) as object,
      choices: [expect.objectContaining({ finish_reason: 'error' })],
    }),
    'done',
  ]);
  expect(store.appended).toHaveLength(1);
});

test('continues at once when the first event after a comment is not to be shown', async () => {
  const transport = createScriptedTransport();
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = chat({ stream: true, include_reasoning: false });
  await platform.advance(1100);
  const reader = readFrames(await pending);
  await reader.next();
  const next = reader.next();
  respondWith(transport.latest(), { choices: [{ index: 0, delta: { reasoning: 'hm' } }] }, piece('Hi'));
  await settle();
  expect(chunksOf((await next) ?? '')[0]?.choices[0]?.delta.content).toBe('Hi');
  await reader.leave();
});

test('reads nothing of upstream for a reader that is not there yet, even when there is nothing to show', async () => {
  const transport = createScriptedTransport((exchange) =>
    respondWith(exchange, { choices: [{ index: 0, delta: { reasoning: 'hm' } }] }, piece('a'), piece('b')),
  );
  const { chat } = createCoreGateway(transport);
  const reader = readFrames(await chat({ stream: true, include_reasoning: false }));
  await settle();
  expect(transport.latest().pulls).toBe(1);
  await reader.leave();
});

test('keeps the end for a reader that is not waiting when it comes', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('Hi')));
  const { chat, gateway, platform } = createCoreGateway(transport, { timeouts: { drainMs: 100 } });
  const reader = readFrames(await chat({ stream: true }));
  await reader.next();
  const pending = reader.next();
  transport.latest().push(toEvent(piece('!')));
  await pending;
  const closing = gateway.close();
  await platform.advance(200);
  await closing;
  expect(parseFrames(await reader.rest())).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ code: 503 }) as object }),
    'done',
  ]);
});

test('sends no comment to a reader that has not taken what is ready', async () => {
  const transport = createScriptedTransport((exchange) => respondWith(exchange, piece('a')));
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const reader = readFrames(await chat({ stream: true }));
  await platform.advance(30_000);
  expect(parseFrames((await reader.next()) ?? '')).toHaveLength(1);
});

test('sends no more than one comment ahead of a reader that takes its time', async () => {
  const transport = createScriptedTransport();
  const { chat, platform } = createCoreGateway(transport, { timeouts: { keepAliveMs: 1000 } });
  const pending = chat({ stream: true });
  await platform.advance(60_000);
  const reader = readFrames(await pending);
  expect(parseFrames((await reader.next()) ?? '')).toEqual(['comment']);
});

// Back-pressure

test('reads upstream no faster than its reader reads', async () => {
  const transport = createScriptedTransport((exchange) => {
    exchange.respond();
    for (let i = 0; i < 1000; i += 1) exchange.push(toEvent(piece(`${i} `)));
  });
  const { chat } = createCoreGateway(transport);
  const reader = readFrames(await chat({ stream: true }));
  await settle();
  expect(transport.exchanges[0]?.pulls).toBe(1);
  for (let read = 1; read <= 20; read += 1) {
    expect(chunksOf((await reader.next()) ?? '')).toHaveLength(1);
    await settle();
    expect(transport.exchanges[0]?.pulls).toBe(read);
  }
  await reader.leave();
});

test('reads one batch at a time from a provider, however often its reader calls', async () => {
  const asked: ((text: string) => void)[] = [];
  const completion = (text: string): IteratorResult<ChatChunk[]> => ({
    done: false,
    value: [{ choices: [{ index: 0, delta: { content: text }, finish_reason: null, native_finish_reason: null }] }],
  });
  const provider: Provider = {
    ...createScriptedProvider('acme', []),
    chat: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((resolve) => asked.push((text) => resolve(completion(text)))),
      }),
    }),
  };
  const { chat, platform } = createCoreGateway([provider, createScriptedProvider('beta', [])], {
    timeouts: { keepAliveMs: 1000 },
  });
  const pending = chat({ stream: true });
  await settle();
  asked[0]?.('a');
  const reader = readFrames(await pending);
  await reader.next();
  for (let comment = 0; comment < 3; comment += 1) {
    const next = reader.next();
    await platform.advance(1100);
    expect(await next).toMatch(/^: /);
  }
  expect(asked).toHaveLength(2);
  asked[1]?.('b');
  expect(chunksOf((await reader.next()) ?? '')[0]?.choices[0]?.delta.content).toBe('b');
  await reader.leave();
});

test('counts the time to the first token as the caller felt it, failed attempts and all', async () => {
  const transport = createScriptedTransport();
  const { chat, platform, store } = createCoreGateway(transport);
  const pending = chat({ stream: true });
  await platform.advance(300);
  transport.latest().respond(503);
  transport.latest().end();
  await platform.advance(200);
  respondWith(transport.latest(), piece('Hi'), stop);
  transport.latest().end();
  const reader = readFrames(await pending);
  await platform.advance(1000);
  await reader.rest();
  expect(store.appended[0]?.record.generation).toMatchObject({
    latency: 500,
    generation_time: 1500,
    provider_responses: [{ latency: 300 }, { latency: 200 }],
  });
});

test('leaves nothing hanging on the signal of a client whose call is over', async () => {
  const { signal } = new AbortController();
  const { chat } = createCoreGateway(createReplayTransport({ pieces: GOOD }));
  await readFrames(await chat({ stream: true }, { signal })).rest();
  expect((await chat({ stream: true, model: 'acme/none' }, { signal })).status).toBe(400);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
