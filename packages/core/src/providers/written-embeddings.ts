import type { EmbeddingsCall, EmbeddingsResult, Provider } from './provider.ts';

/** Vectors as upstream wrote them. */
export interface WrittenVectors {
  /** The list of them as JSON, in pieces: `{ object: 'embedding', index, embedding }` in the order of the index. */
  readonly pieces: readonly Uint8Array[];
  readonly count: number;
}

/** A result whose vectors nobody has read. */
export interface WrittenEmbeddings extends Omit<EmbeddingsResult, 'vectors'> {
  readonly written: WrittenVectors;
}

/** Makes vectors as `Provider.embeddings` does, and leaves them as upstream wrote them where they are as requested. */
export type AskWritten = (call: EmbeddingsCall) => Promise<EmbeddingsResult | WrittenEmbeddings>;

type Ask = NonNullable<Provider['embeddings']>;

/**
 * By identity of the member: whoever puts another function around a provider's `embeddings`, to look at its vectors or to
 * change them, has one without this way, and is asked (docs/decisions/0073).
 */
const ways = new WeakMap<Ask, AskWritten>();

/** Returns the same member, from now on with a way on which its vectors stay as they are written. */
export function withWritten(ask: Ask, askWritten: AskWritten | undefined): Ask {
  if (askWritten !== undefined) ways.set(ask, askWritten);
  return ask;
}

export const writtenWayOf = (ask: Ask): AskWritten | undefined => ways.get(ask);
