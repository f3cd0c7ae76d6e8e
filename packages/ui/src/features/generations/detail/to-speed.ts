import type { Generation } from '@model-gateway/core/wire';

import { toFirstTokenMs } from '../first-token.ts';

/** Tokens a second: of a stream from the first to the last, of a whole response over its time; null when nothing can be said. */
export function toSpeed(
  generation: Pick<Generation, 'streamed' | 'tokens_completion' | 'generation_time' | 'latency'>,
): number | null {
  const { tokens_completion: tokens, generation_time: ms } = generation;
  const takenMs = (ms ?? 0) - (toFirstTokenMs(generation) ?? 0);
  return tokens === null || tokens < 2 || takenMs <= 0 ? null : (tokens / takenMs) * 1000;
}
