import type { ChatChunk } from '../../wire/chat-chunk.ts';
import { expectEqual, expectMatch, expectThat } from '../assertions.ts';
import { toChunkings } from './chunkings.ts';
import { expectProviderMember, type ProviderCase } from './provider-case.ts';
import type { ProviderSubject, UpstreamCompletion } from './provider-subject.ts';
import { joinChunks, openChat, readBatches, TIMEOUTS, toCall } from './read-chat.ts';
import { createScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts';

const encoder = new TextEncoder();

const respondWhole = ({ whole, wholeType = 'application/json' }: UpstreamCompletion): ScriptedUpstream =>
  createScriptedUpstream({ headers: { 'content-type': wholeType }, pieces: [encoder.encode(whole)] });

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
export const completionCases: readonly ProviderCase[] = [
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
    async run(subject) {
      const { completion } = subject;
      const pieces = [encoder.encode(completion.events.join(''))];
      const provider = subject.create(respondWith(completion, pieces).transport);
      const [first = [], ...others] = await readBatches(provider, toCall(subject, { stream: true }));
      expectEqual(joinChunks(first).content, completion.expected.content);
      expectThat(others.length <= 1, 'at most one batch follows the bytes');
    },
  },
  {
    title: 'A provider gives what has arrived before it reads on',
    async run(subject) {
      const { completion } = subject;
      const pieces = completion.events.map((event) => encoder.encode(event));
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
