/** What a chat request can use at most, as far as the request itself tells. */
export interface CallBound {
  /** Tokens of everything that is text. */
  readonly textTokens: number;
  /** Tokens of images and audio; null when nothing but an endpoint's own limit bounds them. */
  readonly mediaTokens: number | null;
  readonly images: number;
  readonly hasAudio: boolean;
  /** `max_completion_tokens` or `max_tokens`; null when neither is given. */
  readonly maxTokens: number | null;
  /** What of a prediction turns out wrong is charged beside the answer. */
  readonly predictedTokens: number;
}
