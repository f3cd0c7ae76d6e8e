/** Requirements of a call for the endpoint that serves it. */
export interface CallNeeds {
  /** Parameters as lists of supported parameters name them. */
  readonly parameters: readonly string[];
  /** Kinds of input beside text. */
  readonly inputModalities: readonly string[];
  /** Kinds of output beside text. */
  readonly outputModalities: readonly string[];
  /** Lower bound of the prompt's length: an estimate that is too high would exclude endpoints for good. */
  readonly minPromptTokens: number;
  /** Largest number of output tokens; 0 when the request has no limit. */
  readonly outputTokens: number;
  /** The endpoints for which the prompt may be shortened. */
  readonly compression: Compression;
}

/** Endpoints that receive a shortened prompt when it is too long for them: all, those with a small context, or none. */
export type Compression = 'always' | 'small' | 'never';

/** Endpoints of at most this context have compression switched on by default (wire.md 9.2). */
const SMALL_CONTEXT = 8192;

/** Text that is hard to compress has about four characters a token, text that is easy may have six. */
const MOST_CHARACTERS_A_TOKEN = 6;

/** The least number of tokens that so many characters can be. */
export const minTokensOf = (characters: number): number => Math.floor(characters / MOST_CHARACTERS_A_TOKEN);

/** Whether a prompt is shortened for an endpoint with this context, should it have to be. */
export function isCompressed(contextLength: number | null, compression: Compression): contextLength is number {
  if (contextLength === null || compression === 'never') return false;
  return compression === 'always' || contextLength <= SMALL_CONTEXT;
}
