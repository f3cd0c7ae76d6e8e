import type { Outcome } from '../calls/attempt.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { noteOutcome } from '../dispatch/run-attempts.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { CompletionAccumulator } from '../generations/completion-accumulator.ts';
import type { PromptIterator } from '../providers/keep-limits.ts';
import type { ChatChunk, Usage } from '../wire/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';

/** A completion that has begun. From here on the call cannot change to another endpoint. */
export interface CommittedCompletion extends Beginning {
  readonly endpoint: Endpoint;
  /** Time at which this endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  /** The endpoint's health has been updated already, or is not affected. */
  readonly isAccountedFor?: boolean;
}

export interface Beginning {
  /** Everything up to and including the first batch with a choice. */
  readonly first: readonly ChatChunk[];
  /** Null for a completion that came in one piece, so that it does not cost a wait (docs/decisions/0012). */
  readonly rest: PromptIterator<readonly ChatChunk[]> | null;
}

/** Reads a batch more of a completion; what came in one piece is at its end. */
export const readMore = ({ rest }: Beginning): Promise<IteratorResult<readonly ChatChunk[]>> =>
  rest === null ? AT_END : rest.next();

/** The same without a promise of its own for each batch. */
export function readMoreInto(
  { rest }: Beginning,
  onStep: (step: IteratorResult<readonly ChatChunk[]>) => void,
  onFailure: (error: unknown) => void,
): void {
  if (rest?.read !== undefined) rest.read(onStep, onFailure);
  else (rest === null ? AT_END : rest.next()).then(onStep, onFailure);
}

const AT_END = Promise.resolve({ done: true as const, value: undefined });

/** Tells a provider that nothing more of its completion is read. Its generator may still be waiting. */
export function letGo({ rest }: Beginning): void {
  rest?.return?.().then(undefined, () => undefined);
}

/** Reports the end of a completion to its endpoint's health, unless that has been done already. */
export function noteEnd(
  { parts }: ChatRun,
  { endpoint, startedAt, isAccountedFor }: CommittedCompletion,
  outcome: Outcome,
  usage: Usage | undefined,
): void {
  if (isAccountedFor !== true) noteOutcome({ endpoint, startedAt, outcome, usage }, parts.attempts);
}

type Ended = Pick<CompletionAccumulator, 'finish' | 'upstream'>;

/** The error with which upstream itself ended a completion; null for one that it ended otherwise. */
export function failureOf({ finish, upstream }: Ended, providerName: string): GatewayError | null {
  return finish?.reason === 'error' ? toFailure(finish.native, upstream?.failure, providerName) : null;
}

/** The error of a stream that is over, but was not ended. */
export const withoutFinish = (providerName: string): GatewayError =>
  new GatewayError('provider_unavailable', `${providerName} ended its completion without a finish reason`);

/** Returns the error of chunks in which upstream has ended a completion with an error, without any output before. */
export function failureWithoutOutput(chunks: readonly ChatChunk[], providerName: string): GatewayError | null {
  let ending: ChatChunk['choices'][number] | undefined;
  for (const { choices } of chunks) {
    if (choices.some(hasOutput)) return null;
    ending ??= choices[0];
  }
  if (ending === undefined) return null;
  const failure = chunks.find(({ upstream }) => upstream?.failure !== undefined)?.upstream?.failure;
  return toFailure(ending.native_finish_reason ?? null, failure, providerName);
}

/** Whether a choice adds to a completion; the finish reason `error` alone does not. */
export function hasOutput({ delta, finish_reason: reason }: ChatChunk['choices'][number]): boolean {
  if (reason !== 'error') return true;
  for (const _ in delta) return true;
  return false;
}

const SHOWN_REASON = /^[\w. -]{1,64}$/;

function toFailure(native: string | null, failure: GatewayError | undefined, providerName: string): GatewayError {
  if (failure !== undefined) return failure;
  const reason = native !== null && native !== 'error' && SHOWN_REASON.test(native) ? `: ${native}` : '';
  return new GatewayError('provider_unavailable', `${providerName} ended the completion with an error${reason}`, {
    metadata: { provider_name: providerName },
    upstreamStatus: 200,
  });
}

/** A completion with annotations added to its beginning. */
export function annotateCompletion(
  completion: CommittedCompletion,
  annotations: readonly unknown[],
): CommittedCompletion {
  if (annotations.length === 0) return completion;
  let isDone = false;
  const first = completion.first.map((chunk): ChatChunk => ({
    ...chunk,
    choices: chunk.choices.map((choice) => {
      if (isDone || choice.index !== 0) return choice;
      isDone = true;
      const { delta } = choice;
      return { ...choice, delta: { ...delta, annotations: [...(delta.annotations ?? []), ...annotations] } };
    }),
  }));
  return { ...completion, first };
}
