import type { Generation } from '@model-gateway/core/wire';

/**
 * Milliseconds to the first token of a stream; null for what had no first token. The latency of a whole response is that
 * of the response, and that of a failed call the time until it failed.
 */
export function toFirstTokenMs({
  streamed,
  tokens_completion: tokens,
  latency,
}: Pick<Generation, 'streamed' | 'tokens_completion' | 'latency'>): number | null {
  return streamed === true && (tokens ?? 0) > 0 ? latency : null;
}
