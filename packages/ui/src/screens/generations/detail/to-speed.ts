import type { Generation } from '@model-gateway/core/wire';

/** Tokens a second from the first to the last; null when nothing can be said. */
export function toSpeed({
  tokens_completion: tokens,
  generation_time: ms,
  latency,
}: Pick<Generation, 'tokens_completion' | 'generation_time' | 'latency'>): number | null {
  const streamingMs = (ms ?? 0) - (latency ?? 0);
  return tokens === null || tokens < 2 || streamingMs <= 0 ? null : (tokens / streamingMs) * 1000;
}
