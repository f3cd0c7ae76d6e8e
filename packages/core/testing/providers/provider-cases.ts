import { GatewayError, TransportError, type ChatCall, type Provider, type ChatChunk } from '@model-gateway/core';

import { expectEqual, expectMatch, expectRejection, expectThat } from '../contract-case.ts';
import {
  type WholeProvider,
  expectProviderMember,
  type ProviderCase,
  type ProviderSubject,
  type UpstreamCompletion,
} from './provider-subject.ts';
import {
  createDeadUpstream,
  createScriptedUpstream,
  expectSoon,
  joinChunks,
  joinText,
  openChat,
  readBatches,
  readToText,
  type ScriptedResponse,
  type ScriptedUpstream,
  TIMEOUTS,
  toBytes,
  toCall,
  toChunkings,
} from './scripted-upstream.ts';

const respondWhole = ({ whole, wholeType = 'application/json' }: UpstreamCompletion): ScriptedUpstream =>
  createScriptedUpstream({ headers: { 'content-type': wholeType }, pieces: [toBytes(whole)] });

const respondWith = ({ streamType = 'text/event-stream' }: UpstreamCompletion, pieces: readonly Uint8Array[]) =>
  createScriptedUpstream({ headers: { 'content-type': streamType }, pieces });

const completionsOf = ({ completion, furtherCompletions = [] }: ProviderSubject): readonly UpstreamCompletion[] => [
  completion,
  ...furtherCompletions,
];

function expectCompletion(chunks: readonly ChatChunk[], { expected }: UpstreamCompletion): void {
  const { usage, hasNativeFinishReason, ...joined } = joinChunks(chunks);
  expectEqual(joined, {
    content: expected.content,
    toolCalls: expected.toolCalls ?? [],
    finishReason: expected.finishReason,
  });
  expectThat(hasNativeFinishReason, 'the chunk with the finish reason has upstream’s own word for it');
  if (expected.usage === undefined) expectEqual(usage, undefined);
  else expectMatch(usage, expected.usage);
}

/** Completions that arrive as they should. */
const completionCases: readonly ProviderCase[] = [
  {
    title: 'A provider gives an unstreamed completion as one batch of one chunk, with its finish reason and usage',
    async run(subject) {
      for (const completion of completionsOf(subject)) {
        const provider = subject.create(respondWhole(completion).transport);
        const batches = await readBatches(provider, toCall(subject, { stream: false }));
        expectEqual(
          batches.map((batch) => batch.length),
          [1],
        );
        expectCompletion(batches.flat(), completion);
      }
    },
  },
  {
    title: 'A provider with `chatWhole` gives the same chunk there',
    needs: 'chatWhole',
    async run(subject) {
      for (const completion of completionsOf(subject)) {
        const chatWhole = expectProviderMember(subject.create(respondWhole(completion).transport), 'chatWhole');
        expectCompletion([await chatWhole(toCall(subject, { stream: false }))], completion);
      }
    },
  },
  {
    title: 'A provider gives the same completion streamed, in any chunking and without empty batches',
    async run(subject) {
      for (const completion of completionsOf(subject)) {
        for (const [chunking, pieces] of toChunkings(completion.events)) {
          const provider = subject.create(respondWith(completion, pieces).transport);
          const batches = await readBatches(provider, toCall(subject, { stream: true }));
          expectThat(!batches.some((batch) => batch.length === 0), `no batch is empty, ${chunking}`);
          expectCompletion(batches.flat(), completion);
        }
      }
    },
  },
  {
    title: 'A provider gives in one batch what one piece of bytes completed, but for what only the end tells',
    needs: 'readsPieces',
    async run(subject) {
      const { completion } = subject;
      const [, pieces = []] = toChunkings(completion.events).at(-1) ?? [];
      const provider = subject.create(respondWith(completion, pieces).transport);
      const [first = [], ...others] = await readBatches(provider, toCall(subject, { stream: true }));
      expectEqual(joinChunks(first).content, completion.expected.content);
      expectThat(others.length <= 1, 'at most one batch follows the bytes');
    },
  },
  {
    title: 'A provider gives what has arrived while upstream is silent',
    async run(subject) {
      const { begin } = await findText(subject);
      const controller = new AbortController();
      const { upstream, chat } = openSilent(subject, begin, controller.signal);
      await readToText(chat);
      expectThat(upstream.piecesTaken() === begin, 'no more was sent');
      controller.abort(new Error('given up'));
      await expectRejection(chat.next());
    },
  },
  {
    title: 'A provider gives what has arrived before it reads on',
    needs: 'readsPieces',
    async run(subject) {
      const { completion } = subject;
      const pieces = completion.events.map(toBytes);
      const upstream = respondWith(completion, pieces);
      const chat = openChat(subject.create(upstream.transport), toCall(subject, { stream: true }));
      for await (const batch of chat) {
        if (joinChunks(batch).content !== '') break;
      }
      expectThat(upstream.piecesTaken() < pieces.length, 'the first text comes before the last piece is read');
    },
  },
  {
    title: 'A provider gives the limits of the call to its transport',
    async run(subject) {
      const upstream = respondWith(subject.completion, toChunkings(subject.completion.events)[0]?.[1] ?? []);
      await readBatches(subject.create(upstream.transport), toCall(subject, { stream: true }));
      const { headersMs, idleMs, totalMs, nonStreamMs } = TIMEOUTS;
      const limits = { headersTimeoutMs: headersMs, idleTimeoutMs: idleMs, totalTimeoutMs: totalMs };
      expectMatch(upstream.requests[0], limits);
      const whole = respondWhole(subject.completion);
      await readBatches(subject.create(whole.transport), toCall(subject, { stream: false }));
      expectMatch(whole.requests[0], { totalTimeoutMs: nonStreamMs });
    },
  },
];

type Ending = ScriptedResponse['after'];

/** A stream of these pieces that ends in this way. */
const streamOf = (
  { streamType = 'text/event-stream' }: UpstreamCompletion,
  pieces: readonly Uint8Array[],
  after?: Ending,
) => createScriptedUpstream({ headers: { 'content-type': streamType }, pieces, after });

/** How many events, a piece each, must have come for the beginning of the text, and for all of it. */
async function findText(subject: ProviderSubject): Promise<{ begin: number; last: number }> {
  const { completion } = subject;
  // A provider may read ahead, so that the pieces that it has taken do not tell: streams of so many events do.
  const contents: string[] = [];
  for (let kept = 1; kept <= completion.events.length; kept += 1) {
    const pieces = completion.events.slice(0, kept).map(toBytes);
    const provider = subject.create(streamOf(completion, pieces).transport);
    const { chunks } = await readUntilFailure(provider, toCall(subject, { stream: true }));
    contents.push(joinText(chunks));
  }
  const begin = contents.findIndex((content) => content !== '') + 1;
  const last = contents.indexOf(completion.expected.content) + 1;
  expectThat(begin > 0 && begin < last, 'the text comes in more than one event');
  return { begin, last };
}

/** A chat whose upstream sends so many events and then nothing until the signal, the call's, fires. */
function openSilent(
  subject: ProviderSubject,
  events: number,
  signal: AbortSignal,
): { readonly upstream: ScriptedUpstream; readonly chat: AsyncIterator<readonly ChatChunk[]> } {
  const pieces = subject.completion.events.slice(0, events).map(toBytes);
  const upstream = streamOf(subject.completion, pieces, signal);
  const chat = openChat(subject.create(upstream.transport), toCall(subject, { stream: true, signal }));
  return { upstream, chat: chat[Symbol.asyncIterator]() };
}

/** Every way in which a provider is asked, with the promise of its failure. */
function* askInEveryWay(subject: ProviderSubject, toProvider: () => Provider): Generator<Promise<unknown>> {
  for (const stream of [false, true]) yield readBatches(toProvider(), toCall(subject, { stream }));
  const provider: WholeProvider = toProvider();
  // A provider may throw at once.
  if (provider.chatWhole)
    yield (async (call: ChatCall) => provider.chatWhole?.(call))(toCall(subject, { stream: false }));
}

/** Reads a chat to its end or its failure. */
async function readUntilFailure(
  provider: Provider,
  call: ChatCall,
): Promise<{ readonly chunks: readonly ChatChunk[]; readonly error: unknown }> {
  const chunks: ChatChunk[] = [];
  try {
    for await (const batch of openChat(provider, call)) chunks.push(...batch);
  } catch (error) {
    return { chunks, error };
  }
  return { chunks, error: undefined };
}

const isUpstreamFailure = (error: unknown): boolean => error instanceof GatewayError || error instanceof TransportError;

/** Completions that are refused, break off, or are given up. */
const failureCases: readonly ProviderCase[] = [
  {
    title: 'A provider throws an error of the gateway for what upstream refuses, whole and streamed',
    async run(subject) {
      for (const { status, headers, body, code, retryAfterSeconds } of subject.refusals) {
        const toProvider = (): Provider => {
          const pieces = [toBytes(body)];
          const given = headers ?? { 'content-type': 'application/json' };
          return subject.create(createScriptedUpstream({ status, headers: given, pieces }).transport);
        };
        for (const asked of askInEveryWay(subject, toProvider)) {
          const error = await expectRejection(asked);
          expectThat(error instanceof GatewayError, `status ${status} becomes a GatewayError, not ${error.name}`);
          expectEqual(error.code, code);
          if (retryAfterSeconds !== undefined) expectEqual(error.retryAfterSeconds, retryAfterSeconds);
        }
      }
    },
  },
  {
    title: 'A provider throws, or gives no finish reason, for a stream that ends before its text does, in any chunking',
    async run(subject) {
      const { last } = await findText(subject);
      for (let kept = 1; kept < last; kept += 1) {
        for (const [chunking, pieces] of toChunkings(subject.completion.events.slice(0, kept))) {
          const provider = subject.create(streamOf(subject.completion, pieces).transport);
          const { chunks, error } = await readUntilFailure(provider, toCall(subject, { stream: true }));
          const cut = `a stream cut after event ${kept}, ${chunking}`;
          expectThat(error === undefined || isUpstreamFailure(error), `${cut}, is a failure of upstream`);
          const { finishReason } = joinChunks(chunks);
          expectThat(finishReason === null || finishReason === 'error', `${cut}, has not finished: ${finishReason}`);
        }
      }
    },
  },
  {
    title: 'A provider throws for an unstreamed completion that is cut',
    async run(subject) {
      const { whole, wholeType = 'application/json' } = subject.completion;
      const pieces = [toBytes(whole.slice(0, Math.ceil(whole.length / 2)))];
      const upstream = createScriptedUpstream({ headers: { 'content-type': wholeType }, pieces });
      const provider = subject.create(upstream.transport);
      const error = await expectRejection(readBatches(provider, toCall(subject, { stream: false })));
      expectThat(isUpstreamFailure(error), 'it is a failure of upstream');
    },
  },
  {
    title: 'A provider throws what its transport throws, before a response',
    async run(subject) {
      const refused = new TransportError('the connection was refused', { phase: 'connect', requestSent: false });
      for (const asked of askInEveryWay(subject, () => subject.create(createDeadUpstream(refused)))) {
        expectThat((await expectRejection(asked)) === refused, 'the error of the transport is thrown itself');
      }
    },
  },
  {
    title: 'A provider throws what its transport throws, after the text has been read',
    async run(subject) {
      const { begin } = await findText(subject);
      const reset = new TransportError('the connection was reset', { phase: 'body', requestSent: true });
      const pieces = subject.completion.events.slice(0, begin).map(toBytes);
      let breakOff: (error: Error) => void = () => undefined;
      const broken = new Promise<Error>((resolve) => (breakOff = resolve));
      const provider = subject.create(streamOf(subject.completion, pieces, broken).transport);
      const chat = openChat(provider, toCall(subject, { stream: true }))[Symbol.asyncIterator]();
      await readToText(chat);
      breakOff(reset);
      expectThat((await expectRejection(chat.next())) === reset, 'the error of the transport is thrown itself');
    },
  },
  {
    title: 'A provider gives the text that came before its transport broke off, and throws what that throws',
    needs: 'readsPieces',
    async run(subject) {
      const { begin } = await findText(subject);
      const reset = new TransportError('the connection was reset', { phase: 'body', requestSent: true });
      const pieces = subject.completion.events.slice(0, begin).map(toBytes);
      const provider = subject.create(streamOf(subject.completion, pieces, reset).transport);
      const { chunks, error } = await readUntilFailure(provider, toCall(subject, { stream: true }));
      expectThat(error === reset, 'the error of the transport is thrown itself');
      expectThat(joinChunks(chunks).content !== '', 'the text that had come is given');
    },
  },
  {
    title: 'A provider that is given an aborted signal throws, and asks nothing of upstream without that signal',
    async run(subject) {
      const signal = AbortSignal.abort(new Error('given up'));
      for (const stream of [false, true]) {
        const upstream = streamOf(subject.completion, [], signal);
        await expectRejection(readBatches(subject.create(upstream.transport), toCall(subject, { stream, signal })));
        expectThat(
          upstream.requests.every((request) => request.signal.aborted),
          'every request has the signal',
        );
      }
    },
  },
  {
    title: 'A provider throws as soon as its call is aborted in the middle of the text',
    async run(subject) {
      const { begin } = await findText(subject);
      const controller = new AbortController();
      const { upstream, chat } = openSilent(subject, begin, controller.signal);
      await readToText(chat);
      const next = chat.next();
      controller.abort(new Error('given up'));
      await expectRejection(next);
      expectThat(upstream.requests[0]?.signal.aborted === true, 'the request upstream has the signal');
    },
  },
  {
    title: 'A provider leaves the response of upstream when its reader leaves the chat',
    async run(subject) {
      const { begin } = await findText(subject);
      const { upstream, chat } = openSilent(subject, begin, new AbortController().signal);
      await readToText(chat);
      await chat.return?.();
      await expectSoon(upstream.left, '`return` of the response body is called');
    },
  },
];

/** The facts that `chat` of every provider must meet, and those that need an optional member. */
export const providerCases: readonly ProviderCase[] = [...completionCases, ...failureCases];
