import type { ChatChunk, GatewayOptions, ModelDefinition, Provider } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { createDeferred } from '../support/async/deferred.ts';
import {
  type CoreGateway,
  createCoreGateway,
  jsonOf,
  parseFrames,
  readFrames,
} from '../support/gateways/core-gateway.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { createVideoGateway } from '../support/videos/video-gateway.ts';

// Providers of a host's own code, on no transport, that do not heed their signal.

const toChunk = (content: string, reason: 'stop' | null = null): ChatChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: reason, native_finish_reason: reason }],
});
const never = (): Promise<never> => new Promise(() => undefined);

type ChatOf = Pick<Provider, 'chat'> & { readonly chatWhole?: () => Promise<ChatChunk> };

const SILENT: readonly (readonly [string, ChatOf])[] = [
  [
    'chat',
    {
      async *chat() {
        yield await never();
      },
    },
  ],
  ['chatWhole', { chatWhole: never, chat: () => ({ [Symbol.asyncIterator]: () => ({ next: never, return: never }) }) }],
];
const WELL: ChatOf = {
  async *chat() {
    yield [toChunk('Well', 'stop')];
  },
};

/** Starts a gateway over these providers, tried in this order. */
function start(
  members: readonly ChatOf[],
  timeouts: NonNullable<Parameters<typeof startFaultGateway>[1]>['timeouts'] = {},
): Promise<FaultGateway> {
  const dataPolicy = { training: null, retainsPrompts: null };
  const providers = members.map((chat, index) => ({ slug: `up${index}`, name: `Up${index}`, dataPolicy, ...chat }));
  const upstreams = members.map(() => ({ baseUrl: 'http://127.0.0.1:9/v1' }));
  return startFaultGateway(upstreams, { timeouts, gateway: { providers } });
}

/** Fails the test that leaves a rejection unhandled. */
function watchRejections(): readonly unknown[] {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return unhandled;
}

test.each(SILENT)('226: an unstreamed call whose %s never ends goes to the next provider', async (_name, silent) => {
  const gateway = await start([silent, WELL], { nonStreamMs: 150 });
  const response = await gateway.ask();
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ provider: 'Up1', choices: [{ message: { content: 'Well' } }] });
  expect((await gateway.record()).record.generation.provider_responses).toMatchObject([
    { provider_name: 'Up0' },
    { provider_name: 'Up1', status: 200 },
  ]);
  expect(gateway.recorded).toHaveLength(1);
});

test.each(SILENT)('226: without another provider a %s that never ends is a recorded 408', async (_name, silent) => {
  const gateway = await start([silent], { nonStreamMs: 150 });
  const response = await gateway.ask();
  expect([response.status, await response.json()]).toMatchObject([408, { error: { code: 408 } }]);
  expect((await gateway.record()).record).toMatchObject({ costNanoUsd: 0, generation: { finish_reason: 'error' } });
  expect(gateway.gateway.stats()).toMatchObject({ openCalls: 0 });
});

test.each(SILENT)('226: a client that leaves ends an unstreamed call whose %s never ends', async (_name, silent) => {
  const gateway = await start([silent]);
  const client = new AbortController();
  const response = gateway.ask({}, { signal: client.signal });
  setTimeout(() => client.abort(), 50);
  await expect(response).rejects.toThrow('abort');
  expect((await gateway.record()).record.generation.cancelled).toBe(true);
});

test.each(SILENT)('226: a stream of a %s that never begins goes to the next provider', async (_name, silent) => {
  const { stream } = await start([silent, WELL], { firstTokenMs: 150 });
  const text = await stream();
  expect(text).toContain('"provider":"Up1"');
  expect(parseFrames(text).at(-1)).toBe('done');
});

test('226: a stream that stalls after its first token ends with an error, [DONE] and the record of its text', async () => {
  const stalls: ChatOf = {
    async *chat() {
      yield [toChunk('Half a ')];
      await never();
    },
  };
  const gateway = await start([stalls, WELL], { idleMs: 200 });
  const frames = parseFrames(await gateway.stream());
  expect(frames).toMatchObject([
    { choices: [{ delta: { content: 'Half a ' } }] },
    { error: { code: 408, metadata: { error_type: 'timeout' } }, choices: [{ finish_reason: 'error' }] },
    'done',
  ]);
  const { record, content } = await gateway.record();
  expect(record.generation.finish_reason).toBe('error');
  expect(content?.output.completion).toBe('Half a ');
  expect(gateway.gateway.stats()).toMatchObject({ openCalls: 0 });
});

/** A gateway in virtual time over one provider, whose waits are on the same clock. */
function startInVirtualTime(
  chatOf: (wait: (ms: number) => Promise<void>) => NonNullable<Provider['chat']>,
  timeouts: GatewayOptions['timeouts'],
): CoreGateway {
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void core.platform.setTimer(resolve, ms));
  const dataPolicy = { training: null, retainsPrompts: null };
  const core = createCoreGateway([{ slug: 'acme', name: 'Acme', dataPolicy, chat: chatOf(wait) }], {
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }],
    timeouts,
  });
  return core;
}

/** Everything a streamed call brings until it has ended, `ms` having passed meanwhile. */
async function framesWithin(core: CoreGateway, ms: number): Promise<ReturnType<typeof parseFrames>> {
  const text = core.chat({ stream: true }).then((response) => readFrames(response).rest());
  await core.platform.advance(ms);
  return parseFrames(await text);
}

test('226: a stream that trickles for ever ends at the limit of the whole', async () => {
  const core = startInVirtualTime(
    (wait) =>
      async function* () {
        for (;;) {
          yield [toChunk('drop ')];
          await wait(100);
        }
      },
    { idleMs: 5000, totalMs: 3000 },
  );
  expect((await framesWithin(core, 3100)).slice(-2)).toMatchObject([{ error: { code: 408 } }, 'done']);
  expect(core.store.appended[0]?.record.generation.finish_reason).toBe('error');
});

test('226: signs of life keep a stream open that brings no chunk for longer than the idle limit', async () => {
  const core = startInVirtualTime(
    (wait) =>
      async function* ({ onSignOfLife }) {
        yield [toChunk('One ')];
        for (let passed = 0; passed < 7000; passed += 500) {
          await wait(500);
          onSignOfLife?.();
        }
        yield [toChunk('two', 'stop')];
      },
    { idleMs: 2000 },
  );
  const frames = await framesWithin(core, 7500);
  expect(JSON.stringify(frames)).not.toContain('"error"');
  expect(frames.at(-1)).toBe('done');
});

test.each([
  ['a completion', (): Promise<ChatChunk> => Promise.resolve(toChunk('Late', 'stop'))],
  ['a failure', (): Promise<ChatChunk> => Promise.reject(new Error('too late'))],
])('226: %s that comes after the limit has no effect', async (_name, settle) => {
  const unhandled = watchRejections();
  const gate = createDeferred<void>();
  const late: ChatOf = {
    chatWhole: () => gate.promise.then(settle),
    async *chat() {
      await gate.promise;
      yield [await settle()];
    },
  };
  const gateway = await start([late, WELL], { nonStreamMs: 100, firstTokenMs: 100 });
  expect(await (await gateway.ask()).json()).toMatchObject({ provider: 'Up1' });
  expect(await gateway.stream()).toContain('"provider":"Up1"');
  gate.resolve();
  // Rejections without a handler are reported after the microtasks of a turn.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
  expect(gateway.recorded).toHaveLength(2);
});

const VECTORS: ModelDefinition = {
  id: 'acme/vectors',
  context_length: 8192,
  architecture: { input_modalities: ['text'], output_modalities: ['embeddings'] },
  endpoints: ['acme', 'beta'].map((provider) => ({ provider, providerModel: 'v', pricing: { prompt: '0.000001' } })),
};

test('226: embeddings that never come are asked for at the next provider', async () => {
  const signals: AbortSignal[] = [];
  const dataPolicy = { training: null, retainsPrompts: null };
  const core = createCoreGateway(
    [
      {
        slug: 'acme',
        name: 'Acme',
        dataPolicy,
        embeddings({ signal }) {
          signals.push(signal);
          return never();
        },
      },
      { slug: 'beta', name: 'Beta', dataPolicy, embeddings: () => Promise.resolve({ vectors: [[1]] }) },
    ],
    { models: [VECTORS], timeouts: { nonStreamMs: 1000 } },
  );
  const response = core.post('/api/v1/embeddings', {
    model: 'acme/vectors',
    input: 'one',
    provider: { order: ['acme', 'beta'] },
  });
  await core.platform.advance(1500);
  expect(jsonOf(await response)).toMatchObject({ data: [{ embedding: [1] }] });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(core.store.appended.map(({ record }) => record.generation.provider_name)).toEqual(['Beta']);
});

test('226: a count of tokens that never comes is an estimate', async () => {
  const counting = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };
  const core = createCoreGateway([{ ...counting, ...WELL, countTokens: never }], {
    models: [{ id: 'acme/chat', endpoints: [{ provider: 'acme', providerModel: 'chat-1' }] }],
    timeouts: { nonStreamMs: 1000 },
  });
  const messages = [{ role: 'user', content: 'Hello' }];
  const response = core.post('/api/v1/messages/count_tokens', { model: 'acme/chat', messages });
  await core.platform.advance(1500);
  expect(jsonOf(await response)).toMatchObject({ estimated: true });
});

test('226: a list of models that never comes does not hold up the start', async () => {
  const lists = { slug: 'acme', name: 'Acme', dataPolicy: { training: null, retainsPrompts: null } };
  const core = createCoreGateway([{ ...lists, ...WELL, discoverModels: true, listModels: never }], { models: [] });
  const started = core.gateway.start();
  await core.platform.advance(31_000);
  await started;
  expect(core.logged.map(({ line }) => line)).toContain('warn models could not be discovered');
  await core.gateway.close();
});

test('226: a look at a video that never ends is followed by another one', async () => {
  const gateway = createVideoGateway({
    progress: (_, number) => (number === 0 ? never() : { status: 'completed', outputs: [{}] }),
  });
  const { body } = await gateway.submit();
  await gateway.platform.advance(180_000);
  expect(gateway.polls.length).toBeGreaterThan(1);
  expect((await gateway.look(body.id)).status).toBe('completed');
});

test('226: bytes of a video that stop coming end its response, and the signal of the fetch fires', async () => {
  const signals: AbortSignal[] = [];
  const gateway = createVideoGateway({
    content({ signal }) {
      signals.push(signal);
      let isFirst = true;
      const next = (): Promise<IteratorResult<Uint8Array>> => {
        if (!isFirst) return never();
        isFirst = false;
        return Promise.resolve({ done: false, value: Buffer.from('begin') });
      };
      return { status: 200, headers: {}, body: { [Symbol.asyncIterator]: () => ({ next }) } };
    },
  });
  const { body } = await gateway.submit();
  await gateway.platform.advance(60_000);
  const response = await gateway.get(`/api/v1/videos/${body.id}/content?index=0`);
  const pieces = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  expect((await pieces.next()).done).toBe(false);
  const outcome = pieces.next().then(
    () => 'read',
    () => 'failed',
  );
  await gateway.platform.advance(90_000);
  expect(await outcome).toBe('failed');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
