import { beforeAll, expect, test } from 'vitest';

import { createDeferred } from '../../../../test/support/async/deferred.ts';
import { settle } from '../../../../test/support/async/virtual-platform.ts';
import { createCoreGateway, readFrames } from '../../../../test/support/gateways/core-gateway.ts';
import type { Provider } from '../providers/provider.ts';
import { toInterruptedRecord } from '../stores/kit/records.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

const toText = (content: string): ChatChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null, native_finish_reason: null }],
});
const END: ChatChunk = {
  choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
};

/** A gateway whose provider streams what the test says. */
function setUp() {
  let next = createDeferred<readonly ChatChunk[] | null>();
  const acme: Provider = {
    slug: 'acme',
    name: 'Acme',
    dataPolicy: { training: null, retainsPrompts: null },
    async *chat({ signal }) {
      for (;;) {
        const gone = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
        const chunks = await Promise.race([next.promise, gone]);
        next = createDeferred();
        if (chunks === null) return;
        yield chunks;
      }
    },
  };
  const core = createCoreGateway([acme, { ...acme, slug: 'beta', name: 'Beta' }], { takesNotes: true });
  const say = async (chunks: readonly ChatChunk[] | null): Promise<void> => {
    next.resolve(chunks);
    await settle();
  };
  const ask = () => core.chat({ stream: true, messages: [{ role: 'user', content: 'x'.repeat(4000) }] });
  return { ...core, say, ask };
}

// What is loaded with the first call would let virtual time pass before it begins.
beforeAll(async () => {
  await import('../api/chat.ts');
  await setUp().get('/api/v1/models');
});

test('notes a stream that is older than a second, once a second, with what it has used up to then', async () => {
  const { store, platform, say, ask } = setUp();
  const response = ask();
  await platform.advance(500);
  await say([toText('y'.repeat(400))]);
  const frames = readFrames(await response);
  await frames.next();
  await platform.advance(400);
  expect(store.notes).toEqual([]);
  await platform.advance(100);
  expect(store.notes).toHaveLength(1);
  const [first] = store.notes[0] ?? [];
  expect(first).toMatchObject({
    record: { generation: { model: 'acme/chat', provider_name: 'Acme', streamed: true, latency: 500 } },
    figures: { promptTokens: 1004, completionTokens: 100, costNanoUsd: 1_204_000, costKnown: true, durationMs: 1000 },
  });
  const reading = frames.next();
  await say([toText('z'.repeat(40))]);
  await reading;
  await platform.advance(1000);
  const [second] = store.notes[1] ?? [];
  expect(second?.figures).toMatchObject({ completionTokens: 110, durationMs: 2000 });
  // Whatever has not changed need not be written again.
  expect(second?.record).toBe(first?.record);
  if (second === undefined) throw new Error('not noted');
  expect(toInterruptedRecord(second)).toMatchObject({
    costNanoUsd: 1_224_000,
    generation: {
      interrupted: true,
      cancelled: false,
      finish_reason: 'error',
      tokens_prompt: 1004,
      tokens_completion: 110,
      total_cost: 0.001224,
      usage_estimated: true,
      generation_time: 2000,
    },
  });
});

test('notes that nothing is under way once the stream is recorded, and sets no timer any more', async () => {
  const { store, platform, say, ask } = setUp();
  const idleTimers = platform.pendingTimers;
  const response = ask();
  await say([toText('Hello')]);
  const frames = readFrames(await response);
  await frames.next();
  await platform.advance(3000);
  expect(store.notes.map((calls) => calls.length)).toEqual([1, 1, 1]);
  const rest = frames.rest();
  await say([END]);
  await say(null);
  await rest;
  expect(store.appended).toHaveLength(1);
  await platform.advance(5000);
  expect(store.notes.map((calls) => calls.length)).toEqual([1, 1, 1, 0]);
  expect(platform.pendingTimers).toBe(idleTimers);
});

test('notes nothing of streams that are over within a second', async () => {
  const { store, platform, say, ask } = setUp();
  for (let count = 0; count < 5; count += 1) {
    const response = ask();
    await platform.advance(400);
    await say([toText('Hello'), END]);
    const rest = readFrames(await response).rest();
    await say(null);
    await rest;
    await platform.advance(300);
  }
  expect(store.appended).toHaveLength(5);
  expect(store.notes).toEqual([]);
});

test('notes a stream whose provider has not responded yet, at the cost of its prompt', async () => {
  const { store, platform, ask } = setUp();
  void ask();
  await platform.advance(1000);
  expect(store.notes[0]).toMatchObject([
    {
      record: { generation: { provider_name: 'Acme', model: 'acme/chat', latency: null } },
      figures: { promptTokens: 1004, completionTokens: 0, costNanoUsd: 1_004_000 },
    },
  ]);
});

test('notes all streams of the process together', async () => {
  const { store, platform, ask } = setUp();
  for (let count = 0; count < 50; count += 1) void ask();
  await platform.advance(2000);
  expect(store.notes.map((calls) => calls.length)).toEqual([50, 50]);
});

test('tells once that notes cannot be written, and disturbs no stream by that', async () => {
  const { store, platform, say, ask, logged } = setUp();
  store.failNotes(new Error('the disk is full'));
  const response = ask();
  await say([toText('Hello')]);
  const rest = readFrames(await response).rest();
  await platform.advance(4000);
  await say([END]);
  await say(null);
  expect(await rest).toContain('[DONE]');
  expect(logged.map(({ line }) => line)).toEqual(['warn running streams could not be recorded']);
});

test('leaves no note of streams that the closing gateway has recorded', async () => {
  const { store, platform, say, ask, gateway } = setUp();
  const response = ask();
  await say([toText('Hello')]);
  const rest = readFrames(await response).rest();
  await platform.advance(2000);
  const closing = gateway.close();
  await platform.advance(60_000);
  await Promise.all([closing, rest]);
  expect(store.appended).toHaveLength(1);
  expect(store.notes.at(-1)).toEqual([]);
});
