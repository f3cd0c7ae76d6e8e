import { toNanoUsd, type UnitPrices } from '../catalog/prices.ts';

/** The measures by which a video is charged. */
export interface VideoMeasure {
  readonly durationSeconds: number | undefined;
  readonly videos: number;
  readonly tokens?: number | undefined;
}

const MILLI = 1000n;

/** The exact cost in billionths of a dollar; null when the endpoint has no price for what was measured. */
export function videoCostNanoUsd(prices: UnitPrices, measure: VideoMeasure): number | null {
  const parts: bigint[] = [];
  if (prices.video !== undefined) parts.push(prices.video * BigInt(measure.videos));
  if (prices.video_second !== undefined && measure.durationSeconds !== undefined) {
    // Lengths have a precision of a millisecond at most.
    const milliseconds = BigInt(Math.round(measure.durationSeconds * 1000)) * BigInt(measure.videos);
    parts.push((prices.video_second * milliseconds) / MILLI);
  }
  if (prices.video_token !== undefined && measure.tokens !== undefined) {
    parts.push(prices.video_token * BigInt(measure.tokens));
  }
  return parts.length === 0 ? null : toNanoUsd(parts.reduce((sum, part) => sum + part, 0n));
}
