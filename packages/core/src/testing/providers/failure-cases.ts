import { GatewayError } from '../../foundation/errors.ts';
import { TransportError } from '../../foundation/transport.ts';
import type { ChatCall, Provider } from '../../providers/provider.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';
import { expectEqual, expectRejection, expectThat } from '../assertions.ts';
import type { ContractCase } from '../contract-case.ts';
import { toChunkings } from './chunkings.ts';
import type { ProviderSubject, UpstreamCompletion } from './provider-subject.ts';
import { joinChunks, openChat, readBatches, toCall } from './read-chat.ts';
import { createDeadUpstream, createScriptedUpstream, type ScriptedResponse } from './scripted-upstream.ts';

const encoder = new TextEncoder();

type Ending = ScriptedResponse['after'];

/** A stream of these pieces that ends in this way. */
const streamOf = (
  { streamType = 'text/event-stream' }: UpstreamCompletion,
  pieces: readonly Uint8Array[],
  after?: Ending,
) => createScriptedUpstream({ headers: { 'content-type': streamType }, pieces, after });

/** The pieces, an event each, up to the one with the beginning of the text, and up to the one before its end. */
async function findText(subject: ProviderSubject): Promise<{ begin: number; last: number }> {
  const { completion } = subject;
  const upstream = streamOf(
    completion,
    completion.events.map((event) => encoder.encode(event)),
  );
  const ends: number[] = [];
  for await (const batch of openChat(subject.create(upstream.transport), toCall(subject, { stream: true }))) {
    if (joinChunks(batch).content !== '') ends.push(upstream.piecesTaken());
  }
  const [begin, last] = [ends[0], ends.at(-1)];
  expectThat(begin !== undefined && last !== undefined && begin < last, 'the text comes in more than one event');
  return { begin, last };
}

/** Every way in which a provider is asked, with the promise of its failure. */
function* askInEveryWay(subject: ProviderSubject, toProvider: () => Provider): Generator<Promise<unknown>> {
  for (const stream of [false, true]) yield readBatches(toProvider(), toCall(subject, { stream }));
  const provider = toProvider();
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
export const failureCases: readonly ContractCase<ProviderSubject>[] = [
  {
    title: 'A provider throws an error of the gateway for what upstream refuses, whole and streamed',
    async run(subject) {
      for (const { status, headers, body, code, retryAfterSeconds } of subject.refusals) {
        const toProvider = (): Provider => {
          const pieces = [encoder.encode(body)];
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
      const pieces = [encoder.encode(whole.slice(0, Math.ceil(whole.length / 2)))];
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
    title: 'A provider gives the text that came before its transport broke off, and throws what that throws',
    async run(subject) {
      const { begin } = await findText(subject);
      const reset = new TransportError('the connection was reset', { phase: 'body', requestSent: true });
      const pieces = subject.completion.events.slice(0, begin).map((event) => encoder.encode(event));
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
      const pieces = subject.completion.events.slice(0, begin).map((event) => encoder.encode(event));
      const controller = new AbortController();
      const upstream = streamOf(subject.completion, pieces, controller.signal);
      const call = toCall(subject, { stream: true, signal: controller.signal });
      const read = async (): Promise<void> => {
        for await (const batch of openChat(subject.create(upstream.transport), call)) {
          if (joinChunks(batch).content !== '') controller.abort(new Error('given up'));
        }
      };
      await expectRejection(read());
      expectThat(upstream.requests[0]?.signal.aborted === true, 'the request upstream has the signal');
    },
  },
  {
    title: 'A provider leaves the response of upstream when its reader leaves the chat',
    async run(subject) {
      const pieces = subject.completion.events.map((event) => encoder.encode(event));
      const upstream = streamOf(subject.completion, pieces);
      for await (const batch of openChat(subject.create(upstream.transport), toCall(subject, { stream: true }))) {
        if (joinChunks(batch).content !== '') break;
      }
      expectThat(upstream.wasLeft(), '`return` of the response body is called');
    },
  },
];
