import type { Platform } from '../foundation/platform.ts';
import type { Deadline, DeadlineOwner, TimerWheel } from '../foundation/timers.ts';
import { TransportError } from '../foundation/transport.ts';
import type { BatchApi, Provider, WholeProvider } from './provider.ts';
import type { VideoProvider } from './video-contract.ts';
import { withWritten, writtenWayOf } from './written-embeddings.ts';

const LIST_TIMEOUT_MS = 30_000;

/** Creates `keepLimits` for a gateway, which makes the same of the same provider. */
export function createLimitKeeper(parts: LimitParts): (provider: Provider) => Provider {
  const made = new WeakMap<Provider, Provider>();
  return (provider) => {
    let kept = made.get(provider);
    if (kept === undefined) made.set(provider, (kept = keepLimits(provider, parts)));
    return kept;
  };
}

/**
 * A provider whose time limits hold whatever it does: a call that is not over within them fails with a `TransportError`,
 * its signal fires, and what comes of it later has no effect.
 */
function keepLimits(provider: WholeProvider, parts: LimitParts): Provider {
  const { chat, chatWhole, countTokens, listModels, video } = provider;
  // Each member by its name, because those of a class are not copied.
  const kept: { readonly [Name in keyof Required<WholeProvider>]: WholeProvider[Name] | undefined } = {
    slug: provider.slug,
    name: provider.name,
    preset: provider.preset,
    dataPolicy: provider.dataPolicy,
    region: provider.region,
    byok: provider.byok,
    gateway: provider.gateway,
    discoverModels: provider.discoverModels,
    keys: provider.keys?.map((key) => ({ ...key, provider: keepLimits(key.provider, parts) })),
    putsModelInPath: provider.putsModelInPath,
    prefillOf: provider.prefillOf?.bind(provider),
    cacheTtlsOf: provider.cacheTtlsOf?.bind(provider),
    listModels:
      listModels &&
      ((signal) =>
        callWithin({ signal, limitMs: LIST_TIMEOUT_MS }, parts, (limited) => listModels.call(provider, limited))),
    chat:
      chat &&
      ((call) => ({
        [Symbol.asyncIterator]: () => {
          const { stream, signal, timeouts } = call;
          const idleMs = stream ? timeouts.idleMs : Number.POSITIVE_INFINITY;
          const totalMs = stream ? timeouts.totalMs : timeouts.nonStreamMs;
          return iterateWithin({ signal, idleMs, totalMs }, parts, (work) =>
            chat.call(provider, { ...call, ...work })[Symbol.asyncIterator](),
          );
        },
      })),
    chatWhole:
      chatWhole &&
      ((call) =>
        callWithin({ signal: call.signal, limitMs: call.timeouts.nonStreamMs }, parts, (signal) =>
          chatWhole.call(provider, { ...call, signal }),
        )),
    countTokens:
      countTokens &&
      ((call) =>
        callWithin({ signal: call.signal, limitMs: call.timeouts.nonStreamMs }, parts, (signal) =>
          countTokens.call(provider, { ...call, signal }),
        )),
    embeddings: provider.embeddings && keepEmbeddings(provider, provider.embeddings, parts),
    rerank: provider.rerank && within(provider.rerank.bind(provider), parts),
    speech: provider.speech && streamedWithin(provider.speech.bind(provider), parts),
    transcription: provider.transcription && within(provider.transcription.bind(provider), parts),
    speechFormatsOf: provider.speechFormatsOf?.bind(provider),
    image: provider.image && within(provider.image.bind(provider), parts),
    moderation: provider.moderation && within(provider.moderation.bind(provider), parts),
    batches: provider.batches && keepBatchLimits(provider.batches, parts),
    ocr: provider.ocr && within(provider.ocr.bind(provider), parts),
    video: video && keepVideoLimits(video, parts),
  };
  return kept as Provider;
}

/** The same member, each call of which is one request with one result and a limit of its own. */
const within =
  <Call extends { readonly signal: AbortSignal; readonly timeoutMs: number }, Result>(
    ask: (call: Call) => Promise<Result>,
    parts: LimitParts,
  ) =>
  (call: Call): Promise<Result> =>
    callWithin({ signal: call.signal, limitMs: call.timeoutMs }, parts, (signal) => ask({ ...call, signal }));

function keepEmbeddings(provider: Provider, ask: NonNullable<Provider['embeddings']>, parts: LimitParts) {
  const askWritten = writtenWayOf(ask);
  return withWritten(within(ask.bind(provider), parts), askWritten && within(askWritten, parts));
}

/** A call whose result has a body that comes in pieces. */
interface StreamedCall {
  readonly signal: AbortSignal;
  /** Limit to the beginning of the body. */
  readonly timeoutMs: number;
  /** Limit between two pieces. Default: that to the beginning. */
  readonly idleMs?: number | undefined;
  /** Default: none. */
  readonly totalMs?: number | undefined;
}

/** The same for a member whose result goes on in a body: one signal for both, and limits between its pieces. */
const streamedWithin =
  <Call extends StreamedCall, Result extends { readonly body: AsyncIterable<Uint8Array> }>(
    ask: (call: Call) => Promise<Result>,
    parts: LimitParts,
  ) =>
  async (call: Call): Promise<Result> => {
    const { timeoutMs, idleMs = timeoutMs, totalMs = Number.POSITIVE_INFINITY } = call;
    const work = new AbortController();
    const signal = AbortSignal.any([call.signal, work.signal]);
    const askWithin = within(() => ask({ ...call, signal }), parts);
    const result = await askWithin({ ...call, signal }).catch((error: unknown) => {
      work.abort(error);
      throw error;
    });
    const limits = { signal: call.signal, idleMs, totalMs, hasBegun: true };
    const open = (): AsyncIterator<Uint8Array> =>
      iterateWithin(limits, parts, ({ signal: ended }) => {
        ended.addEventListener('abort', () => work.abort(ended.reason), { once: true });
        return result.body[Symbol.asyncIterator]();
      });
    return { ...result, body: { [Symbol.asyncIterator]: open } };
  };

function keepVideoLimits(video: VideoProvider, parts: LimitParts): VideoProvider {
  return {
    honoursIdempotencyKey: video.honoursIdempotencyKey,
    start: within(video.start.bind(video), parts),
    poll: within(video.poll.bind(video), parts),
    find: video.find && within(video.find.bind(video), parts),
    fetch: streamedWithin(video.fetch.bind(video), parts),
  } as VideoProvider;
}

function keepBatchLimits(batches: BatchApi, parts: LimitParts): BatchApi {
  return {
    priceShare: batches.priceShare,
    maxRequests: batches.maxRequests,
    maxBytes: batches.maxBytes,
    toRequest: batches.toRequest.bind(batches),
    readResponse: batches.readResponse.bind(batches),
    submit: within(batches.submit.bind(batches), parts),
    ...(batches.find !== undefined && { find: within(batches.find.bind(batches), parts) }),
    poll: within(batches.poll.bind(batches), parts),
    // As long as its reader takes.
    read: batches.read.bind(batches),
    cancel: within(batches.cancel.bind(batches), parts),
    discard: within(batches.discard.bind(batches), parts),
  };
}

/** What time limits need. */
interface LimitParts {
  readonly wheel: TimerWheel;
  readonly platform: Pick<Platform, 'monotonicNow'>;
}

/** An async iterator that can also be read without a promise for each item. */
export interface PromptIterator<Item> extends AsyncIterator<Item> {
  /** Reads the next item like `next`. One read at a time. */
  read?(onStep: (step: IteratorResult<Item>) => void, onFailure: (error: unknown) => void): void;
}

/** A transport keeps the same limits, and its error is more precise: it comes first. */
const GRACE_MS = 100;
/** Share of an idle limit by which it may end late, so that nothing is done for each item. */
const IDLE_PRECISION = 1 / 8;

const toLimitError = (): TransportError =>
  new TransportError('the time limit ran out', { phase: 'body', requestSent: true, timedOut: true });

/**
 * Settles like `call`, unless a time limit runs out first: then it rejects with a `TransportError` and aborts the signal
 * that `call` was given, which otherwise fires with the caller's. Work that ignores its signal is given up within two
 * ticks after it has fired; what it settles with later has no effect.
 */
function callWithin<Value>(
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
  { wheel }: LimitParts,
  call: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const work = new AbortController();
    const end = (): void => {
      deadline.clear();
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      end();
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what the call or its signal has failed with, handed on
      reject(error);
    };
    const onAbort = (): void => {
      work.abort(signal.reason);
      // What the call has been paid for may have arrived with this signal.
      deadline.set(0);
    };
    const deadline = wheel.add(() => {
      const reason: unknown = signal.aborted ? signal.reason : toLimitError();
      fail(reason);
      work.abort(reason);
    });
    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    deadline.set(limitMs + GRACE_MS);
    try {
      call(work.signal).then((value) => {
        end();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** Limits of an iteration in milliseconds. */
interface IterationLimits {
  readonly signal: AbortSignal;
  /** Limit between two items while the reader waits; where it has not `begun`, from the first item on. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly hasBegun?: boolean;
}

/** What the iterated work is given. */
interface IteratedWork {
  readonly signal: AbortSignal;
  /** Call it where upstream shows that it is alive without an item: the idle limit restarts. */
  readonly onSignOfLife: () => void;
}

/**
 * Iterates within time limits. When one runs out, the read that waits fails with a `TransportError`, or else the next
 * one, and the signal of the work fires, which otherwise fires with the caller's. Work that ignores its signal is given
 * up as in `callWithin`. Throws what `open` throws.
 */
function iterateWithin<Item>(
  limits: IterationLimits,
  parts: LimitParts,
  open: (work: IteratedWork) => AsyncIterator<Item>,
): PromptIterator<Item> {
  const limited = new LimitedIterator<Item>(limits, parts);
  limited.open(open);
  return limited;
}

const END = { done: true, value: undefined } as const;

/** A class, because there is one for each streamed call: as closures it would be twelve objects (docs/decisions/0016). */
class LimitedIterator<Item> implements PromptIterator<Item>, DeadlineOwner {
  private readonly limits: IterationLimits;
  private readonly platform: LimitParts['platform'];
  private readonly deadline: Deadline;
  private readonly totalAt: number;
  private readonly work = new AbortController();
  private inner: AsyncIterator<Item> | undefined = undefined;
  /** Both are null unless a read waits. */
  private onStep: ((step: IteratorResult<Item>) => void) | null = null;
  private onFailure: ((error: unknown) => void) | null = null;
  /** What the next read fails with. */
  private failure: unknown = undefined;
  private hasBegun: boolean;
  private isOver = false;
  /** Something has come, or a read has begun, since the last check. */
  private isAlive = false;
  /** Time of the check since which nothing has come. */
  private quietSince: number;

  constructor(limits: IterationLimits, { wheel, platform }: LimitParts) {
    const now = platform.monotonicNow();
    this.limits = limits;
    this.platform = platform;
    this.totalAt = now + limits.totalMs + GRACE_MS;
    this.quietSince = now;
    this.hasBegun = limits.hasBegun ?? false;
    this.deadline = wheel.addFor(this);
  }

  open(open: (work: IteratedWork) => AsyncIterator<Item>): void {
    const { signal, idleMs } = this.limits;
    signal.throwIfAborted();
    this.inner = open({ signal: this.work.signal, onSignOfLife: this.noteAlive });
    signal.addEventListener('abort', this.onAbort, { once: true });
    this.deadline.setAt(Math.min(this.quietSince + idleMs * IDLE_PRECISION, this.totalAt));
  }

  next(): Promise<IteratorResult<Item>> {
    return new Promise((resolve, reject) => this.read(resolve, reject));
  }

  read(onStep: (step: IteratorResult<Item>) => void, onFailure: (error: unknown) => void): void {
    if (this.isOver || this.inner === undefined) {
      const { failure } = this;
      this.failure = undefined;
      void (failure === undefined ? Promise.resolve(END) : Promise.reject(failure as Error)).then(onStep, onFailure);
      return;
    }
    this.onStep = onStep;
    this.onFailure = onFailure;
    this.isAlive = true;
    try {
      this.inner.next().then(this.arrive, this.fail);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Does not wait for the inner iterator, which may never return. */
  return(): Promise<IteratorResult<Item>> {
    const { onStep } = this;
    this.close();
    if (onStep !== null) {
      // A generator that waits for upstream would not return before.
      this.work.abort(new Error('nothing more is read'));
      onStep(END);
    }
    this.inner?.return?.().then(undefined, () => undefined);
    return Promise.resolve(END);
  }

  onExpire(): void {
    const { signal, idleMs } = this.limits;
    const now = this.platform.monotonicNow();
    if (signal.aborted) return this.giveUp(signal.reason);
    if (now >= this.totalAt) return this.giveUp(toLimitError());
    const isQuiet = this.hasBegun && this.onStep !== null && !this.isAlive;
    if (isQuiet && now - this.quietSince >= idleMs) return this.giveUp(toLimitError());
    this.isAlive = false;
    if (!isQuiet) this.quietSince = now;
    const nextCheckAt = this.quietSince + (isQuiet ? idleMs : idleMs * IDLE_PRECISION);
    this.deadline.setAt(Math.min(nextCheckAt, this.totalAt));
  }

  private readonly arrive = (step: IteratorResult<Item>): void => {
    const { onStep } = this;
    if (this.isOver || onStep === null) return;
    if (step.done === true) this.close();
    this.hasBegun = true;
    this.onStep = null;
    onStep(step);
  };

  private readonly fail = (error: unknown): void => {
    const { onFailure } = this;
    if (this.isOver) return;
    this.close();
    onFailure?.(error);
  };

  private readonly noteAlive = (): void => {
    this.isAlive = true;
  };

  private readonly onAbort = (): void => {
    this.work.abort(this.limits.signal.reason);
    // An iterator that heeds its signal has failed by then.
    this.deadline.set(0);
  };

  private giveUp(error: unknown): void {
    const { onFailure } = this;
    this.close();
    if (onFailure === null) this.failure = error;
    else onFailure(error);
    this.work.abort(error);
    this.inner?.return?.().then(undefined, () => undefined);
  }

  private close(): void {
    this.isOver = true;
    this.onStep = null;
    this.onFailure = null;
    this.deadline.clear();
    this.limits.signal.removeEventListener('abort', this.onAbort);
  }
}
