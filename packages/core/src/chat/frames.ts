import { type Outcome, withFlaggedInput } from '../calls/attempt.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import { withReport } from '../routing/explain.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { RoutingMembers } from '../wire/routing.ts';
import type { ChatRun } from './chat-run.ts';
import type { CompletionEnvelope, Frames, FrameText } from './format.ts';
import { lastWordsOf } from './moderate-call.ts';

const encoder = new TextEncoder();
type Taken = IteratorResult<Uint8Array>;

const END: Taken = { done: true, value: undefined };

/** Frames that wait for their reader, or a reader that waits for frames. */
export interface FrameOutlet {
  /** Hands frames to the reader that waits, or holds them until there is one. Pieces are taken when they are read. */
  push(frames: FrameText): void;
  /** Ends the outlet. Frames that are held can still be read. */
  end(): void;
  discard(): void;
  isEmpty(): boolean;
  isAwaited(): boolean;
  /** The frames that are held, as one piece or several, or the next ones; `onWait` is called when there are none yet. */
  next(onWait: () => void): Promise<IteratorResult<Uint8Array>>;
}

export function createFrameOutlet(): FrameOutlet {
  let held = '';
  /** Frames in pieces, and whatever comes after them, in order. */
  let later: FrameText[] = [];
  let pieces: Iterator<string> | null = null;
  let isOver = false;
  let reader: ((result: Taken | Promise<Taken>) => void) | undefined;

  const hasPieces = (): boolean => pieces !== null || later.length > 0;

  /** Moves what comes next into `held`: a text, or one piece. */
  const advance = (): void => {
    while (held === '' && hasPieces()) {
      if (pieces === null) {
        const next = later.shift() ?? '';
        if (typeof next === 'string') held = next;
        else pieces = next[Symbol.iterator]();
      } else {
        const { done, value } = pieces.next();
        if (done === true) pieces = null;
        else held = value;
      }
    }
  };
  const take = (): Taken => {
    if (held === '') return END;
    const value = encoder.encode(held);
    held = '';
    return { done: false, value };
  };
  const serve = (): void => {
    const resolve = reader;
    reader = undefined;
    resolve?.(hasPieces() ? takePiece() : take());
  };
  /** A piece may fail to be made; it is not empty. */
  const takePiece = async (): Promise<Taken> => {
    advance();
    return take();
  };

  return {
    push(frames) {
      if (typeof frames === 'string' && pieces === null && later.length === 0) held += frames;
      else later.push(frames);
      if (reader !== undefined) serve();
    },
    end() {
      isOver = true;
      serve();
    },
    discard() {
      held = '';
      pieces = null;
      later = [];
    },
    isEmpty: () => held === '' && !hasPieces(),
    isAwaited: () => reader !== undefined,
    next(onWait) {
      try {
        if (hasPieces()) advance();
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
      if (held !== '' || isOver) return Promise.resolve(take());
      return new Promise((resolve) => {
        reader = resolve;
        onWait();
      });
    },
  };
}

/** What a relay sends, as text. */
export interface FrameWriter {
  /** Receives each body that is sent upstream; undefined unless the caller requested them. */
  readonly onUpstreamBody: ((body: unknown) => void) | undefined;
  /** Encodes a batch, after the bodies that were sent upstream before it. */
  encode(batch: readonly ChatChunk[]): FrameText;
  encodeEnd(settled: SettledGeneration | undefined): FrameText;
  encodeError(error: GatewayError): FrameText;
  /** Adds to a record that is to be stored what its form needs to be given back, before the end is encoded. */
  keep(settled: SettledGeneration, outcome: Outcome): void;
  /** Call when no more of the frames are taken. */
  close(): void;
}

export function createFrameWriter(run: ChatRun): FrameWriter {
  const { call, observer, encoder, parts } = run;
  const created = parts.platform.now();
  let frames: Frames | undefined;
  let echoes: unknown[] = [];

  /** Made with the first frame, because the endpoint that serves the call is known only then. */
  const framesOf = (): Frames =>
    (frames ??= encoder.createFrames(envelopeOf(run, created), call.request, parts.platform.openScratch));
  /** Returns the bodies that were sent upstream since the last call, as separate frames. */
  const takeEchoes = (): string => {
    if (echoes.length === 0) return '';
    const text = echoes.map(framesOf().encodeEcho).join('');
    echoes = [];
    return text;
  };

  return {
    onUpstreamBody: call.request.debug?.echo_upstream_body === true ? (body) => void echoes.push(body) : undefined,
    encode: (batch) => join(takeEchoes(), framesOf().encode(batch)),
    encodeEnd(settled) {
      const { reason, native } = observer.completion.finish ?? { reason: 'stop' as const, native: null };
      const { citations } = observer.completion.upstream ?? {};
      return framesOf().encodeEnd({
        reason,
        native,
        citations,
        usage: settled?.usage,
        members: routingOf(run, settled),
        timing: settled?.record.generation,
      });
    },
    encodeError(error) {
      const { finish } = observer.completion;
      return join(takeEchoes(), framesOf().encodeError(error, finish?.reason === 'error' ? finish.native : null));
    },
    keep(settled, outcome) {
      // Without a frame there was no response.
      if (frames !== undefined) keepForm(run, { settled, outcome, created, chunks: null });
    },
    close: () => frames?.close?.(),
  };
}

function join(echoes: string, frames: FrameText): FrameText {
  if (typeof frames === 'string') return echoes + frames;
  return echoes === '' ? frames : prefixed(echoes, frames);
}

function* prefixed(first: string, others: Iterable<string>): Generator<string> {
  yield first;
  yield* others;
}

interface EndedRun {
  readonly settled: SettledGeneration;
  readonly outcome: Outcome;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Null for a stream. */
  readonly chunks: readonly ChatChunk[] | null;
}

/** Adds to a record that is to be stored what the form of its route needs to give the completion back. */
export function keepForm(run: ChatRun, { settled, outcome, created, chunks }: EndedRun): void {
  const { encoder, observer } = run;
  const { content, usage } = settled;
  if (encoder.keep === undefined || content === null) return;
  const { completion } = observer;
  const response = encoder.keep({
    ...envelopeOf(run, created),
    chunks,
    reason: completion.finish?.reason ?? 'stop',
    error: outcome.status === 'failed' ? describeError(outcome.error, run) : null,
    isCancelled: outcome.status === 'cancelled',
    usage,
    texts: completion,
  });
  content.response = response;
  // What upstream sends beside texts, such as a picture, counts for the limit of a content, too.
  settled.contentLength += lengthOf(response.items);
}

/** The length of all texts in it. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + lengthOf(member), 0);
}

/** The fields that every part of a run's completion repeats. `created`: milliseconds since the epoch. */
export function envelopeOf({ call, plan, observer }: ChatRun, created: number): CompletionEnvelope {
  const endpoint = observer.endpoint();
  const { systemFingerprint, serviceTier, upstream } = observer.completion;
  return {
    id: call.id,
    created: Math.floor(created / 1000),
    model: endpoint?.modelId ?? plan.endpoints[0]?.modelId ?? '',
    provider: upstream?.provider ?? endpoint?.provider.name ?? '',
    systemFingerprint,
    serviceTier,
  };
}

/** The routing of a completed run, as its caller requested it. */
export function routingOf(
  { report, observer }: ChatRun,
  settled: SettledGeneration | undefined,
): RoutingMembers | undefined {
  const generationMs = settled?.record.generation.generation_time;
  return report?.toMembers({ attempts: observer.attempts(), hasFailed: false, generationMs });
}

/** The error that ended a run, as its caller receives it: with the facts and the routing that belong to it. */
export function describeError(error: GatewayError, { call, report, observer }: ChatRun): GatewayError {
  const attempts = observer.attempts();
  const model = attempts.at(-1)?.endpoint.modelId ?? call.request.model ?? '';
  const flagged = withFlaggedInput(error, { model, textOf: () => lastWordsOf(call.request) });
  return withReport(flagged, report, { attempts, hasFailed: true });
}
