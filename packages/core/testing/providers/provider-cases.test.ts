import { GatewayError, type Provider, type ChatChunk } from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { expect, test } from 'vitest';

import { providerCases } from './provider-cases.ts';
import type { ProviderSubject, WholeProvider } from './provider-subject.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const toEvent = (choices: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({ choices, ...more })}\n\n`;

const toSubject = (create: ProviderSubject['create']): ProviderSubject => ({
  create,
  completion: {
    whole: JSON.stringify({ choices: [{ message: { content: 'Hello you' }, finish_reason: 'stop' }], usage }),
    events: [
      toEvent([{ delta: { content: 'Hello ' } }]),
      toEvent([{ delta: { content: 'you' } }]),
      toEvent([{ delta: {}, finish_reason: 'stop' }], { usage }),
      'data: [DONE]\n\n',
    ],
    expected: { content: 'Hello you', finishReason: 'stop', usage },
  },
  refusals: [{ status: 429, body: '{"error":{"message":"Slow down"}}', code: 'rate_limit_exceeded' }],
});

/** A provider without a flaw. */
const createSound: ProviderSubject['create'] = (transport) =>
  createOpenAiProvider({ slug: 'up', name: 'Up', baseUrl: 'https://up.example/v1', apiKey: 'key', transport });

type Chat = NonNullable<Provider['chat']>;

/** One that has `chat` alone, changed by `toChat`. */
const createWith =
  (toChat: (chat: Chat) => Chat): ProviderSubject['create'] =>
  (transport) => {
    const { chatWhole: _, ...provider }: WholeProvider = createSound(transport);
    return { ...provider, chat: toChat(provider.chat?.bind(provider) as Chat) };
  };

/** The messages of the cases that a provider fails, by their titles. */
async function findFailures(create: ProviderSubject['create']): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  const runs = providerCases.map(({ title, run }) =>
    run(toSubject(create)).catch((error: Error) => failures.set(title, error.message)),
  );
  await Promise.all(runs);
  return failures;
}

const mapChunks = (chat: Chat, map: (chunk: ChatChunk) => ChatChunk): Chat =>
  async function* (call) {
    for await (const batch of chat(call)) yield batch.map((chunk) => map(chunk));
  };

test('a provider that meets the contract fails no case', async () => {
  expect(await findFailures(createSound)).toEqual(new Map());
});

test('a provider without `chatWhole` fails the case that needs it and no other, so that nobody takes it for met', async () => {
  const failures = await findFailures(createWith((chat) => chat));
  const needing = providerCases.filter(({ needs }) => needs === 'chatWhole');
  expect([...failures.keys()]).toEqual(needing.map(({ title }) => title));
  expect([...failures.values()]).toEqual([expect.stringContaining('has no chatWhole, which is optional') as string]);
});

test.each<[flaw: string, toChat: (chat: Chat) => Chat, title: RegExp, message: string]>([
  [
    'loses the usage',
    (chat) => mapChunks(chat, ({ usage: _, ...chunk }) => chunk),
    /gives the same completion streamed/,
    'but found undefined',
  ],
  [
    'collects a stream before it gives any of it',
    (chat) =>
      async function* (call) {
        const batches: (readonly ChatChunk[])[] = [];
        for await (const batch of chat(call)) batches.push(batch);
        yield batches.flat();
      },
    /gives what has arrived before it reads on/,
    'Expected that the first text comes before the last piece is read',
  ],
  [
    'waits for the end of a stream before it gives any of it',
    (chat) =>
      async function* (call) {
        const batches: (readonly ChatChunk[])[] = [];
        for await (const batch of chat(call)) batches.push(batch);
        yield* batches;
      },
    /gives what has arrived while upstream is silent/,
    'Expected that the text comes while upstream is silent',
  ],
  [
    'gives a batch for each chunk',
    (chat) =>
      async function* (call) {
        for await (const batch of chat(call)) for (const chunk of batch) yield [chunk];
      },
    /gives in one batch what one piece of bytes completed/,
    'Expected "Hello you", but found "Hello "',
  ],
  [
    'ends a cut stream as if it were complete',
    (chat) =>
      async function* (call) {
        try {
          yield* chat(call);
        } catch {
          // This is the flaw.
        }
        if (call.stream)
          yield [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'stop' }] }];
      },
    /stream that ends before its text does/,
    'Expected that a stream cut after event 1, an event a piece, has not finished: stop',
  ],
  [
    'does not listen to the signal',
    (chat) => (call) => chat({ ...call, signal: new AbortController().signal }),
    /is given an aborted signal/,
    'Expected that every request has the signal',
  ],
  [
    'throws another error',
    (chat) =>
      async function* (call) {
        try {
          yield* chat(call);
        } catch (error) {
          throw error instanceof GatewayError ? new RangeError('no') : error;
        }
      },
    /for what upstream refuses/,
    'Expected that status 429 becomes a GatewayError, not RangeError',
  ],
  [
    'does not close the response',
    (chat) => (call) => {
      const batches = chat(call)[Symbol.asyncIterator]();
      return { [Symbol.asyncIterator]: () => ({ next: () => batches.next() }) };
    },
    /leaves the response of upstream/,
    'Expected that `return` of the response body is called',
  ],
])('a provider that %s fails the case that says so', async (_flaw, toChat, title, message) => {
  const failures = await findFailures(createWith(toChat));
  const found = [...failures].find(([name]) => title.test(name));
  expect(found?.[1]).toContain(message);
});
