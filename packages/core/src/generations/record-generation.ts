import { GatewayError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { GenerationContent } from '../schemas/generation.ts';
import type { Outcome, SettledGeneration } from './observe-generation.ts';

/**
 * Writes a settled generation down. The last byte of an answer waits for it: what was acknowledged is never lost.
 * Throws `internal` when the store cannot take it, because then nothing may be acknowledged.
 */
export async function recordGeneration(
  { store, logger, logging, counters }: Runtime,
  { record, content }: SettledGeneration,
  outcome: Outcome,
): Promise<void> {
  const { generation } = record;
  counters[outcome.status] += 1;
  try {
    await store.generations.append(record, withinLimit(content, logging.maxContentBytes));
  } catch (cause) {
    counters.recordFailures += 1;
    logger.error('a generation could not be recorded', { id: generation.id, reason: String(cause) });
    throw new GatewayError('internal', 'The generation could not be recorded', { cause });
  }
  if (outcome.status === 'failed') {
    logger.warn('a call failed', {
      id: generation.id,
      model: generation.model,
      provider: generation.provider_name,
      code: outcome.error.code,
      reason: outcome.error.message,
      cause: outcome.error.cause === undefined ? undefined : String(outcome.error.cause),
    });
  }
}

/** A content above the limit is not stored at all: half a conversation would pass for a whole one. */
function withinLimit(content: GenerationContent | null, maxBytes: number): GenerationContent | null {
  return content !== null && sizeOf(content) > maxBytes ? null : content;
}

/** About how many bytes a value takes as JSON, without making it: two for each character of its texts at most. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 0;
  for (const key in value) size += key.length + sizeOf((value as Record<string, unknown>)[key]);
  return size;
}
