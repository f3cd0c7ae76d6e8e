import type { Endpoint } from '../catalog/catalog.ts';
import type { PromptIterator } from '../foundation/time-limits.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';

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
