import type { Outcome } from '../calls/outcome.ts';
import { GatewayError, toErrorBody } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/observe/observe-generation.ts';
import type { AnswerAccumulator } from '../generations/observe/completion-accumulator.ts';
import { recordGeneration } from '../dispatch/record-generation.ts';
import type { GatewayResponse } from '../http/response.ts';
import { withReport } from '../routing/routing-metadata.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';
import { createFrameEncoder, DONE_FRAME, type FrameEncoder, KEEP_ALIVE_FRAME } from './frame-encoder.ts';
import { toCallError } from '../dispatch/call-errors.ts';
import { noteOutcome } from '../dispatch/note-outcome.ts';
import { openCall } from '../dispatch/track-call.ts';
import type { ChatRelay } from './relay.ts';
import type { CommittedAnswer } from '../dispatch/run-attempts.ts';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const encoder = new TextEncoder();
const END: IteratorResult<Uint8Array> = { done: true, value: undefined };

type Step = IteratorResult<readonly ChatChunk[]>;

/**
 * Runs a call and answers it as a stream. Resolves at the first of: the first chunk, or the keep-alive interval;
 * rejects with the final error when that comes before either. From then on errors travel in-band.
 *
 * The body is written by hand rather than as a generator: a generator's `return()` waits for the `next()` under way,
 * and a client that leaves must be noticed while upstream is silent.
 */
export function answerStream(relay: ChatRelay): Promise<GatewayResponse> {
  return new Promise((resolve, reject) => {
    const stream = createRelayStream(relay, {
      onCommitted: () => resolve({ status: 200, headers: { ...STREAM_HEADERS, ...relay.headers }, body: stream }),
      onRefused: reject,
    });
  });
}

/** Settling an answer of this many characters takes milliseconds, and several times its length of memory. */
const LONG_ANSWER_LENGTH = 512 * 1024;

const isLong = ({ packedTextLength, packedReasoningLength }: AnswerAccumulator): boolean =>
  packedTextLength + packedReasoningLength >= LONG_ANSWER_LENGTH;

interface HeadListener {
  /** The status is 200 from now on. Called once at most. */
  onCommitted(): void;
  /** Nothing has been sent and nothing will be. Called once at most, instead of `onCommitted`. */
  onRefused(error: GatewayError): void;
}

function createRelayStream(relay: ChatRelay, head: HeadListener): AsyncIterable<Uint8Array> {
  const { runtime, observer, request, client } = relay;
  const life = openCall(runtime, client, true);
  let answer: CommittedAnswer | undefined;
  let frames: FrameEncoder | undefined;
  let isHeadSent = false;
  let isPulling = false;
  /** The outcome is decided; what is left is to write it down and to tell the reader. */
  let isEnding = false;
  let isOver = false;
  /** What went upstream and has not been shown yet; always empty unless the caller asked for it. */
  let echoes: unknown[] = [];
  const onUpstreamBody =
    request.debug?.echo_upstream_body === true ? (body: unknown): void => void echoes.push(body) : undefined;
  /** Frames that wait for a reader. */
  let ready = '';
  let reader: ((result: IteratorResult<Uint8Array>) => void) | undefined;

  const keepAlive = runtime.wheel.add(() => {
    if (!isHeadSent) commitHead();
    // A reader that has not even taken what is ready needs no sign of life.
    if (ready === '') deliver(KEEP_ALIVE_FRAME);
  });

  const commitHead = (): void => {
    isHeadSent = true;
    head.onCommitted();
  };

  /** Hands frames to the reader, or keeps them until there is one. */
  const deliver = (text: string): void => {
    ready += text;
    if (reader === undefined) return;
    const resolve = reader;
    reader = undefined;
    keepAlive.clear();
    resolve(takeReady());
  };

  const takeReady = (): IteratorResult<Uint8Array> => {
    if (ready === '') return END;
    const value = encoder.encode(ready);
    ready = '';
    return { done: false, value };
  };

  const framesOf = (): FrameEncoder =>
    (frames ??= createFrameEncoder(
      {
        id: observer.id,
        created: relay.created,
        model: observer.endpoint()?.modelId ?? relay.route.endpoints[0]?.modelId ?? '',
        provider: observer.endpoint()?.provider.name ?? '',
        systemFingerprint: observer.answer.systemFingerprint,
        serviceTier: observer.answer.serviceTier,
      },
      relay.hideReasoning,
    ));

  /** What went upstream since the last look, as frames of its own. */
  const takeEchoes = (): string => {
    if (echoes.length === 0) return '';
    const text = echoes.map(framesOf().encodeEcho).join('');
    echoes = [];
    return text;
  };

  const onBegun = (begun: CommittedAnswer): void => {
    answer = begun;
    if (life.signal.aborted) return onFailure(life.signal.reason);
    observer.observe(begun.first);
    if (!isHeadSent) commitHead();
    const text = takeEchoes() + framesOf().encode(begun.first);
    if (text !== '') deliver(text);
    else if (reader !== undefined) pull();
  };

  const pull = (): void => {
    if (isPulling || isEnding || answer === undefined) return;
    isPulling = true;
    // One pending next() at a time, its failure handled from the start.
    answer.rest.next().then(onStep, onFailure);
  };

  const onStep = (step: Step): void => {
    isPulling = false;
    if (isEnding) return;
    if (step.done === true) return onUpstreamEnd();
    observer.observe(step.value);
    const text = takeEchoes() + framesOf().encode(step.value);
    if (text !== '') deliver(text);
    // A batch may hold nothing to show (a finish reason, usage): whoever waits goes on waiting.
    else if (reader !== undefined) pull();
  };

  const onUpstreamEnd = (): void => {
    if (observer.answer.finish !== undefined) return end({ status: 'completed' });
    const name = observer.endpoint()?.provider.name ?? 'The provider';
    onFailure(new GatewayError('provider_unavailable', `${name} ended its answer without a finish reason`));
  };

  const onFailure = (thrown: unknown): void => {
    const error = toCallError(
      life.signal.aborted ? life.signal.reason : thrown,
      observer.endpoint()?.provider.name ?? '',
    );
    end({ status: error.code === 'client_closed_request' ? 'cancelled' : 'failed', error });
  };

  /** Decides the outcome, exactly once, writes it down, and only then lets the reader see the end. */
  const end = (outcome: Outcome): void => {
    if (isEnding) return;
    isEnding = true;
    keepAlive.clear();
    life.signal.removeEventListener('abort', onInterrupted);
    const wasAborted = life.signal.aborted;
    const settle = (): Promise<void> => {
      const settled = observer.settle(outcome);
      if (answer !== undefined && !wasAborted) noteOutcome(runtime, answer, outcome, settled.usage);
      return recordGeneration(runtime, settled, outcome).then(
        () => finish(outcome, settled),
        (error: unknown) => finish({ status: 'failed', error: toCallError(error, '') }, undefined),
      );
    };
    // A thousand readers of long answers that leave together would otherwise fill the memory and hold up everybody.
    if (isLong(observer.answer)) runtime.longAnswers.run(settle);
    else void settle();
    if (outcome.status !== 'completed') letGoOfUpstream();
  };

  const finish = (outcome: Outcome, settled: SettledGeneration | undefined): void => {
    life.end();
    isOver = true;
    const report = { attempts: observer.attempts(), hasFailed: outcome.status !== 'completed' };
    if (outcome.status !== 'completed' && !isHeadSent) {
      return head.onRefused(withReport(outcome.error, relay.report, report));
    }
    if (outcome.status === 'cancelled') ready = '';
    else if (outcome.status === 'failed') {
      const error = withReport(outcome.error, relay.report, report);
      ready += takeEchoes() + framesOf().encodeError(toErrorBody(error), error.beside) + DONE_FRAME;
    } else {
      const { reason, native } = observer.answer.finish ?? { reason: 'stop' as const, native: null };
      const generationMs = settled?.record.generation.generation_time;
      const members = relay.report?.toMembers({ ...report, generationMs });
      // Whichever chunk is the last one carries the report.
      ready += framesOf().encodeFinish(reason, native, settled?.usage === undefined ? members : undefined);
      if (settled?.usage !== undefined) ready += framesOf().encodeUsage(settled.usage, members);
      ready += DONE_FRAME;
    }
    deliver('');
  };

  const letGoOfUpstream = (): void => {
    life.interrupt(new GatewayError('client_closed_request', 'The call is over'));
    // A provider's generator may still be waiting; whatever it says now concerns nobody.
    answer?.rest.return?.().then(undefined, () => undefined);
  };

  // Until an answer has begun the attempts notice by themselves, and note who was being asked.
  const onInterrupted = (): void => {
    if (answer !== undefined) onFailure(life.signal.reason);
  };
  life.signal.addEventListener('abort', onInterrupted, { once: true });

  keepAlive.set(runtime.timeouts.keepAliveMs);
  relay
    .begin({
      runtime,
      request,
      route: relay.route,
      observer,
      guard: relay.guard,
      fit: relay.fit,
      onUpstreamBody,
      signal: life.signal,
    })
    .then(onBegun, onFailure);

  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (ready !== '') return Promise.resolve(takeReady());
        if (isOver) return Promise.resolve(END);
        return new Promise((resolve) => {
          reader = resolve;
          keepAlive.set(runtime.timeouts.keepAliveMs);
          pull();
        });
      },
      return() {
        life.interrupt(new GatewayError('client_closed_request', 'The client closed the request'));
        return Promise.resolve(END);
      },
    }),
  };
}
