import { type Outcome, outcomeOf } from '../calls/attempt.ts';
import { toCallError } from '../dispatch/call-errors.ts';
import { trackCall } from '../dispatch/open-calls.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CompletionAccumulator } from '../generations/observe/completion-accumulator.ts';
import type { SettledGeneration } from '../generations/settled-generation.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';
import { type CommittedCompletion, letGo, readMore } from './committed-completion.ts';
import { envelopeOf, routingOf, withRouting } from './describe-completion.ts';
import type { Frames } from './dialect.ts';
import { createFrameOutlet } from './frame-outlet.ts';
import { noteEnd } from './observe-chat.ts';
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
    const headers = { ...STREAM_HEADERS, ...run.responseHeaders };
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

/** Settling a completion of this many characters takes milliseconds, and several times its length of memory. */
const LONG_COMPLETION_LENGTH = 512 * 1024;

const isLong = ({ textLength, reasoningLength }: CompletionAccumulator): boolean =>
  textLength + reasoningLength >= LONG_COMPLETION_LENGTH;

function createRelay(run: ChatRun, begin: Begin, responseHead: ResponseHead): AsyncIterable<Uint8Array> {
  const { call, plan, observer, parts } = run;
  const { timeouts, recorder, longCompletions } = parts;
  const frames = createFrameWriter(run);
  const tracked = trackCall(parts.openCalls, run.client, true);
  const outlet = createFrameOutlet();
  let phase: Phase = 'attempting';
  /** Null once the response has begun. */
  let head: ResponseHead | null = responseHead;
  let completion: CommittedCompletion | undefined;

  const keepAlive = parts.wheel.add(() => {
    commitHead();
    // A reader that has not even taken what is held needs no sign of life.
    if (outlet.isEmpty()) deliver(run.dialect.keepAlive);
  });
  const commitHead = (): void => {
    head?.commit();
    head = null;
  };
  const deliver = (text: string): void => {
    keepAlive.clear();
    outlet.push(text);
  };

  const relay = (batch: readonly ChatChunk[]): void => {
    observer.observe(batch);
    commitHead();
    const text = frames.encode(batch);
    if (text !== '') deliver(text);
    // A batch may hold nothing to send (a finish reason, usage): a waiting reader continues to wait.
    else if (outlet.isAwaited()) read();
  };
  const onBegun = (begun: CommittedCompletion): void => {
    completion = begun;
    if (tracked.signal.aborted) return onFailure(tracked.signal.reason);
    phase = 'idle';
    relay(begun.first);
  };
  const read = (): void => {
    if (phase !== 'idle' || completion === undefined) return;
    phase = 'reading';
    // One pending next() at a time, its failure handled from the start.
    readMore(completion).then(onStep, onFailure);
  };
  const onStep = (step: IteratorResult<readonly ChatChunk[]>): void => {
    if (phase !== 'reading') return;
    phase = 'idle';
    if (step.done === true) onUpstreamEnd();
    else relay(step.value);
  };
  const onUpstreamEnd = (): void => {
    if (observer.completion.finish !== undefined) return end({ status: 'completed' });
    const name = observer.endpoint()?.provider.name ?? 'The provider';
    onFailure(new GatewayError('provider_unavailable', `${name} ended its answer without a finish reason`));
  };
  const onFailure = (thrown: unknown): void => {
    const { aborted, reason } = tracked.signal;
    end(outcomeOf(toCallError(aborted ? reason : thrown, observer.endpoint()?.provider.name ?? '')));
  };

  /** Decides the outcome, exactly once, records it, and only then lets the reader see the end. */
  const end = (outcome: Outcome): void => {
    if (phase === 'recording' || phase === 'over') return;
    phase = 'recording';
    keepAlive.clear();
    tracked.signal.removeEventListener('abort', onInterrupted);
    const wasAborted = tracked.signal.aborted;
    const record = (): Promise<void> => {
      const settled = observer.settle(outcome);
      if (completion !== undefined && !wasAborted) noteEnd(run, completion, outcome, settled.usage);
      return recorder.recordCall(settled, outcome).then(
        () => finish(outcome, settled),
        (error: unknown) => finish({ status: 'failed', error: toCallError(error, '') }, undefined),
      );
    };
    // A thousand readers of long completions that leave together would otherwise fill the memory.
    if (isLong(observer.completion)) longCompletions.run(record);
    else void record();
    if (outcome.status !== 'completed') letGoOfUpstream();
  };

  const finish = (outcome: Outcome, settled: SettledGeneration | undefined): void => {
    tracked.end();
    phase = 'over';
    if (outcome.status === 'completed') outlet.push(frames.encodeEnd(settled));
    else {
      const error = withRouting(outcome.error, run);
      if (head !== null) return head.refuse(error);
      if (outcome.status === 'cancelled') outlet.discard();
      else outlet.push(frames.encodeError(error));
    }
    outlet.end();
  };

  const letGoOfUpstream = (): void => {
    tracked.interrupt(new GatewayError('client_closed_request', 'The call is over'));
    if (completion !== undefined) letGo(completion);
  };
  // While endpoints are being called, the attempts detect the interruption themselves and note which one was affected.
  const onInterrupted = (): void => {
    if (completion !== undefined) onFailure(tracked.signal.reason);
  };
  tracked.signal.addEventListener('abort', onInterrupted, { once: true });

  keepAlive.set(timeouts.keepAliveMs);
  const { request } = call;
  const { onUpstreamBody } = frames;
  begin({ request, endpoints: plan.endpoints, onUpstreamBody, signal: tracked.signal }).then(onBegun, onFailure);

  const onWait = (): void => {
    keepAlive.set(timeouts.keepAliveMs);
    read();
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => outlet.next(onWait),
      return() {
        tracked.interrupt(new GatewayError('client_closed_request', 'The client closed the request'));
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
}

/** What a relay sends, as text. */
interface FrameWriter {
  /** Receives each body that is sent upstream; undefined unless the caller requested them. */
  readonly onUpstreamBody: ((body: unknown) => void) | undefined;
  /** Encodes a batch, after the bodies that were sent upstream before it. */
  encode(batch: readonly ChatChunk[]): string;
  encodeEnd(settled: SettledGeneration | undefined): string;
  encodeError(error: GatewayError): string;
}

function createFrameWriter(run: ChatRun): FrameWriter {
  const { call, observer, dialect, parts } = run;
  const created = parts.platform.now();
  let frames: Frames | undefined;
  let echoes: unknown[] = [];

  /** Made with the first frame, because the endpoint that serves the call is known only then. */
  const framesOf = (): Frames => (frames ??= dialect.createFrames(envelopeOf(run, created), call.request));
  /** Returns the bodies that were sent upstream since the last call, as separate frames. */
  const takeEchoes = (): string => {
    if (echoes.length === 0) return '';
    const text = echoes.map(framesOf().encodeEcho).join('');
    echoes = [];
    return text;
  };

  return {
    onUpstreamBody: call.request.debug?.echo_upstream_body === true ? (body) => void echoes.push(body) : undefined,
    encode: (batch) => takeEchoes() + framesOf().encode(batch),
    encodeEnd(settled) {
      const { reason, native } = observer.completion.finish ?? { reason: 'stop' as const, native: null };
      return framesOf().encodeEnd({ reason, native, usage: settled?.usage, members: routingOf(run, settled) });
    },
    encodeError: (error) => takeEchoes() + framesOf().encodeError(error),
  };
}
