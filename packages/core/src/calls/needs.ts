/** What a request asks of the endpoint that is to serve it. */
export interface RequestNeeds {
  /** Parameters as lists of supported parameters name them. */
  readonly parameters: readonly string[];
  /** Kinds of input beside text. */
  readonly inputModalities: readonly string[];
  /** Kinds of output beside text. */
  readonly outputModalities: readonly string[];
  /** What the prompt takes up at the least; deliberately low, because an endpoint that is left out cannot prove it wrong. */
  readonly minPromptTokens: number;
  /** `max_completion_tokens` or `max_tokens`; 0 when neither is given. */
  readonly outputTokens: number;
  /** Where the prompt may be shortened if it has to be. */
  readonly compression: Compression;
}

/** Which endpoints get a prompt that is too long for them shortened: every one, those with little room, or none. */
export type Compression = 'always' | 'small' | 'never';
