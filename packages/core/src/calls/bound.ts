import type { VideoMeasure } from '../catalog/video-cost.ts';

/** The largest usage of a call, as far as its request shows. */
export interface CallBound {
  /** Tokens of everything that is text. */
  readonly textTokens: number;
  /** Tokens of images and audio; null when only an endpoint's own limit bounds them. */
  readonly mediaTokens: number | null;
  readonly images: number;
  readonly hasAudio: boolean;
  /** Tokens of the output; null when the request has no limit, and the endpoint's own applies. */
  readonly maxTokens: number | null;
  /** Rejected tokens of a prediction are charged in addition to the output. */
  readonly predictedTokens: number;
  /** Set for videos, which are charged by what is made. */
  readonly video?: VideoMeasure | undefined;
}

const encoder = new TextEncoder();

/** Bounds the tokens of a JSON value from above: a token is at least one byte. */
export function mostTokensOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}
