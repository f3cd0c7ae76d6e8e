import type { ModelCall } from '../calls/model-call.ts';
import type { CallContext } from '../dispatch/prepare-call.ts';
import { type BegunPieces, runStreamedCall, type StreamedKind } from '../dispatch/run-streamed-call.ts';
import type { WholeCallParts } from '../dispatch/run-whole-call.ts';
import { toErrorBody } from '../foundation/errors.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { TranscriptionEvent } from '../wire/transcription.ts';
import { guardTranscript, isGuarded } from './guard-transcript.ts';
import { estimateSeconds, isChargedBySeconds } from './transcription-costs.ts';
import type { TranscriptionRequest } from './transcription-kind.ts';
import { toTranscribing, transcribe, type Transcribed } from './transcription.ts';
import { toTranscriptionUsage } from './write-transcript.ts';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Runs one call for a transcription whose text comes as OpenAI's events. Resolves at the first, or throws what ended the
 * call before it; later errors come as an event. Where filters read the text, it comes in one piece.
 */
export async function runStreamedTranscription(
  call: ModelCall<TranscriptionRequest>,
  context: CallContext<WholeCallParts>,
): Promise<GatewayResponse> {
  const { body } = await runStreamedCall(call, toStreaming(context.parts), context);
  return { status: 200, headers: { ...STREAM_HEADERS, ...context.responseHeaders }, body };
}

interface BegunTranscript extends BegunPieces {
  /** What there is of the result by now; all of it once the pieces have ended. */
  readonly transcribed: () => Transcribed;
}

function toStreaming(parts: WholeCallParts): StreamedKind<TranscriptionRequest, BegunTranscript> {
  const whole = toTranscribing(parts);
  return {
    async ask(endpoint, call, turn) {
      if (isGuarded(turn.prepared, parts)) return toOnePiece(await transcribe(endpoint, call, turn, parts));
      const isBySeconds = isChargedBySeconds(endpoint.prices);
      const seconds = isBySeconds ? estimateSeconds(call.request.audio) : undefined;
      const queue = createTextQueue({ text: '', seconds, isBySeconds, isGuessed: isBySeconds });
      transcribe(endpoint, call, turn, parts, queue.push).then(queue.end, queue.fail);
      const begun = await queue.rest.next();
      return { first: begun.value as Uint8Array, rest: queue.rest, transcribed: queue.transcribed };
    },
    async guard(begun, prepared, signal) {
      if (!isGuarded(prepared, parts)) return { result: begun, refusal: null };
      const { result, refusal } = await guardTranscript(begun.transcribed(), prepared, parts, signal);
      return { result: toOnePiece(result), refusal };
    },
    usageOf: ({ transcribed }, request) => whole.usageOf(transcribed(), request),
    costOf: (prices, usage, { result, ...grounds }) =>
      whole.costOf?.(prices, usage, { ...grounds, result: result.transcribed() }) ?? null,
    factsOf: ({ transcribed }, request) => whole.factsOf?.(transcribed(), request) ?? {},
    contentOf: (request, result) => whole.contentOf(request, result?.transcribed()),
    lastPieceOf(begun, usage) {
      const { text, seconds } = begun.transcribed();
      return toFrame({ type: 'transcript.text.done', text, usage: toTranscriptionUsage(usage, seconds) });
    },
    errorPieceOf: (error) => toFrame({ error: { ...toErrorBody(error) } }),
  };
}

const encoder = new TextEncoder();

const toFrame = (event: TranscriptionEvent): Uint8Array => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
const toDelta = (delta: string): Uint8Array => toFrame({ type: 'transcript.text.delta', delta });

const END: IteratorResult<Uint8Array> = { done: true, value: undefined };

const toOnePiece = (result: Transcribed): BegunTranscript => ({
  first: toDelta(result.text),
  rest: { next: () => Promise.resolve(END) },
  transcribed: () => result,
});

/** Pieces of a text that wait to be read. A transcript is a few kilobytes, so nothing limits them. */
function createTextQueue(started: Transcribed) {
  let transcribed = started;
  let failure: { readonly error: unknown } | null = null;
  let isOver = false;
  const waiting: Uint8Array[] = [];
  let wake = (): void => undefined;
  return {
    transcribed: () => transcribed,
    push(delta: string): void {
      transcribed = { ...transcribed, text: transcribed.text + delta };
      waiting.push(toDelta(delta));
      wake();
    },
    end(result: Transcribed): void {
      if (transcribed.text === '') waiting.push(toDelta(result.text));
      transcribed = result;
      isOver = true;
      wake();
    },
    fail(error: unknown): void {
      failure = { error };
      wake();
    },
    rest: {
      async next(): Promise<IteratorResult<Uint8Array>> {
        for (;;) {
          const value = waiting.shift();
          if (value !== undefined) return { done: false, value };
          if (failure !== null) throw failure.error;
          if (isOver) return END;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
  };
}
