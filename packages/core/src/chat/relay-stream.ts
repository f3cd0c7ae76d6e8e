import { type Outcome, outcomeOf } from '../calls/attempt.ts';
import { toCallError } from '../dispatch/ask-endpoint.ts';
import { trackCall } from '../dispatch/open-calls.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CompletionAccumulator } from '../generations/completion-accumulator.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';
import {
  type CommittedCompletion,
  failureOf,
  letGo,
  noteEnd,
  readMoreInto,
  withoutFinish,
} from './committed-completion.ts';
import type { FrameText } from './format.ts';
import { createFrameOutlet, createFrameWriter, describeError, type FrameOutlet, type FrameWriter } from './frames.ts';
import type { Begin } from './stages/stage.ts';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Runs a call and relays its completion as a stream. Resolves at the first chunk or the keep-alive interval, or rejects
 * with the final error before either; later errors are sent in-band. The body is no generator, because a generator's
 * `return()` waits for the pending `next()`, and the end of a client must be noticed while upstream is silent
 * (docs/decisions/0002).
 */
export function relayStream(run: ChatRun, begin: Begin): Promise<GatewayResponse> {
  return new Promise((resolve, reject) => {
    const { mediaType } = run.encoder;
    const headers = { ...STREAM_HEADERS, ...run.responseHeaders };
    if (mediaType !== undefined) headers['content-type'] = mediaType;
    const body = createRelay(run, begin, {
      commit: () => resolve({ status: 200, headers, body }),
      refuse: reject,
    });
  });
}

/**
 * `attempting`: endpoints are called. `idle`: a completion has begun, no `next()` is pending. `reading`: one is
 * pending. `recording`: the outcome is decided and being recorded. `over`: every frame is in the outlet.
 */
type Phase = 'attempting' | 'idle' | 'reading' | 'recording' | 'over';

/** Starts the HTTP response. Exactly one of the two is called, once. */
interface ResponseHead {
  /** The status is 200 from now on. */
  commit(): void;
  /** Responds with an error before anything was sent. */
  refuse(error: GatewayError): void;
}

/** Settling takes several times the length of a completion in memory; hardly any is longer. */
const LONG_COMPLETION_LENGTH = 64 * 1024;

const lengthOf = ({ textLength, reasoningLength }: CompletionAccumulator): number => textLength + reasoningLength;

function createRelay(run: ChatRun, begin: Begin, head: ResponseHead): AsyncIterable<Uint8Array> {
  const { call, plan, observer, parts } = run;
  const frames = createFrameWriter(run);
  const tracked = trackCall(parts.openCalls, run.client, { stream: observer, followed: observer });
  const { signal } = tracked;
  const outlet = createFrameOutlet();
  const sender = createSender(run, outlet, head);
  let phase: Phase = 'attempting';
  let completion: CommittedCompletion | undefined;

  // Called by promises that nobody waits for: what these two threw would end the process.
  const onBegun = (begun: CommittedCompletion): void => {
    completion = begun;
    try {
      if (signal.aborted) {
        // It was paid for; of a held stream it is the whole completion.
        observer.observe(begun.first);
        return onFailure(signal.reason);
      }
      phase = 'idle';
      relay(begun.first);
    } catch (error) {
      onFailure(error);
    }
  };
  const onStep = (step: IteratorResult<readonly ChatChunk[]>): void => {
    try {
      takeStep(step);
    } catch (error) {
      onFailure(error);
    }
  };
  const relay = (batch: readonly ChatChunk[]): void => {
    observer.observe(batch);
    sender.begin();
    const text = frames.encode(batch);
    if (text !== '') sender.send(text);
    // A batch may hold nothing to send (a finish reason, usage): a waiting reader continues to wait.
    else if (outlet.isAwaited()) read();
  };
  const read = (): void => {
    if (phase !== 'idle' || completion === undefined) return;
    phase = 'reading';
    // One pending next() at a time, its failure handled from the start.
    readMoreInto(completion, onStep, onFailure);
  };
  const takeStep = (step: IteratorResult<readonly ChatChunk[]>): void => {
    if (phase !== 'reading') return;
    phase = 'idle';
    if (step.done !== true) return relay(step.value);
    const name = observer.endpoint()?.provider.name ?? 'The provider';
    const failure = failureOf(observer.completion, name);
    if (failure !== null) return onFailure(failure);
    if (observer.completion.finish !== undefined) return end({ status: 'completed' });
    onFailure(withoutFinish(name));
  };
  const onFailure = (thrown: unknown): void => {
    const name = observer.endpoint()?.provider.name ?? '';
    end(outcomeOf(toCallError(signal.aborted ? signal.reason : thrown, name)));
  };

  /** Decides the outcome, exactly once, records it, and only then lets the reader see the end. */
  const end = (outcome: Outcome): void => {
    if (phase === 'recording' || phase === 'over') return;
    phase = 'recording';
    sender.stop();
    signal.removeEventListener('abort', onInterrupted);
    const judged = signal.aborted ? undefined : completion;
    const record = (): Promise<void> => recordEnd(run, outcome, judged, frames).then(finish);
    // A thousand readers of long completions that leave together would otherwise fill the memory.
    const length = lengthOf(observer.completion);
    if (length < LONG_COMPLETION_LENGTH) void record();
    else parts.longCompletions.run(record, length);
    if (outcome.status === 'completed') return;
    tracked.interrupt(new GatewayError('client_closed_request', 'The call is over'));
    if (completion !== undefined) letGo(completion);
  };
  const finish = (ended: RecordedEnd): void => {
    tracked.end();
    phase = 'over';
    try {
      sendEnd(ended);
    } catch (cause) {
      parts.logger.error('the end of a stream could not be written', { requestId: call.id, reason: String(cause) });
      sendFailedEnd(toCallError(cause, ''));
    }
  };
  /** Tells the reader that the last frames could not be written, in-band where the response has begun. */
  const sendFailedEnd = (error: GatewayError): void => {
    if (sender.refuse(error)) return frames.close();
    try {
      outlet.push(frames.encodeError(describeError(error, run)));
    } catch {
      frames.close();
    }
    // Without it the reader would wait for ever.
    outlet.end();
  };
  const sendEnd = ({ outcome, settled }: RecordedEnd): void => {
    if (outcome.status === 'completed') outlet.push(frames.encodeEnd(settled));
    else {
      const error = describeError(outcome.error, run);
      if (sender.refuse(error)) return frames.close();
      // If the client did not end it, it is still there and gets the reason.
      if (outcome.error.code === 'client_closed_request') discard();
      else outlet.push(frames.encodeError(error));
    }
    outlet.end();
  };
  const discard = (): void => {
    outlet.discard();
    frames.close();
  };

  // While endpoints are being called, the attempts detect the interruption themselves and note which one was affected.
  const onInterrupted = (): void => {
    if (completion !== undefined) onFailure(signal.reason);
  };
  signal.addEventListener('abort', onInterrupted, { once: true });

  sender.wait();
  const { request } = call;
  begin({ request, endpoints: plan.endpoints, onUpstreamBody: frames.onUpstreamBody, signal }).then(onBegun, onFailure);

  const onWait = (): void => {
    sender.wait();
    read();
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => outlet.next(onWait),
      return() {
        tracked.interrupt(new GatewayError('client_closed_request', 'The client closed the request'));
        // Before, the end of the call does so.
        if (phase === 'over') discard();
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

/** Sends text to the reader, and a sign of life while there is none. */
interface Sender {
  /** Begins the response, unless it has begun. */
  begin(): void;
  /** Responds with an error; false when the response has begun. */
  refuse(error: GatewayError): boolean;
  send(text: FrameText): void;
  /** The reader waits from now on. */
  wait(): void;
  /** No sign of life is due any more. */
  stop(): void;
}

function createSender({ encoder, parts }: ChatRun, outlet: FrameOutlet, head: ResponseHead): Sender {
  let hasBegun = false;
  const begin = (): void => {
    if (!hasBegun) head.commit();
    hasBegun = true;
  };
  const keepAlive = parts.wheel.add(() => {
    begin();
    // A reader that has not even taken what is held needs no sign of life.
    if (outlet.isEmpty()) send(encoder.keepAlive);
  });
  const send = (text: FrameText): void => {
    keepAlive.clear();
    outlet.push(text);
  };
  return {
    begin,
    send,
    refuse(error) {
      if (!hasBegun) head.refuse(error);
      return !hasBegun;
    },
    wait: () => keepAlive.set(parts.timeouts.keepAliveMs),
    stop: () => keepAlive.clear(),
  };
}

interface RecordedEnd {
  readonly outcome: Outcome;
  /** Undefined when it could not be recorded. */
  readonly settled: SettledGeneration | undefined;
}

/**
 * Records the outcome of a run; resolves with what its reader is to see. `judged`: the completion by which its endpoint's
 * health is judged.
 */
async function recordEnd(
  run: ChatRun,
  outcome: Outcome,
  judged: CommittedCompletion | undefined,
  frames: FrameWriter,
): Promise<RecordedEnd> {
  try {
    const settled = run.observer.settle(outcome);
    if (judged !== undefined) noteEnd(run, judged, outcome, settled.usage);
    frames.keep(settled, outcome);
    await run.parts.recorder.recordCall(settled, outcome, run.client);
    return { outcome, settled };
  } catch (error) {
    return { outcome: { status: 'failed', error: toCallError(error, '') }, settled: undefined };
  } finally {
    run.observer.letGo();
  }
}
