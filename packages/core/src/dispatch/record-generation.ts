import type { Outcome } from '../calls/outcome.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { StoredContent } from '../stores/store.ts';
import type { SettledGeneration } from '../generations/observe/observe-generation.ts';

/**
 * Writes a settled generation down. The last byte of an answer waits for it: what was acknowledged is never lost.
 * Throws `internal` when the store cannot take it, because then nothing may be acknowledged.
 */
export async function recordGeneration(
  { store, logger, logging, counters, ledger, rateLimits, callFigures, generationFeed, broadcaster }: Runtime,
  settled: SettledGeneration,
  outcome: Outcome,
): Promise<void> {
  const { record, principal, usage } = settled;
  const { generation } = record;
  counters[outcome.status] += 1;
  if (usage !== undefined) rateLimits?.noteTokens(principal, generation.model, usage.total_tokens);
  try {
    await store.generations.append(record, withinLimit(settled, logging.maxContentBytes));
    ledger.release(generation.id);
  } catch (cause) {
    // It was spent all the same, and no sum will ever show it.
    ledger.keep(generation.id, {
      creditsNanoUsd: generation.is_byok ? null : record.costNanoUsd,
      anyNanoUsd: record.costNanoUsd,
    });
    counters.recordFailures += 1;
    logger.error('a generation could not be recorded', { id: generation.id, reason: String(cause) });
    throw new GatewayError('internal', 'The generation could not be recorded', { cause });
  }
  callFigures.note(record);
  generationFeed.publish({ type: 'generation', id: generation.id });
  broadcaster.offer(record);
  if (outcome.status === 'failed') {
    logger.warn('a call failed', {
      id: generation.id,
      model: generation.model,
      provider: generation.provider_name,
      code: outcome.error.code,
      reason: outcome.error.message,
      cause: describeCause(outcome.error.cause),
    });
  }
}

/** A content above the limit is not stored at all: half a conversation would pass for a whole one. */
function withinLimit({ content, contentLength }: SettledGeneration, maxBytes: number): StoredContent | null {
  return contentLength > maxBytes ? null : content;
}

/** The whole chain: what callers are told of a failure is only its class, and the operator needs the first cause. */
function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const deeper = describeCause(cause.cause);
  return `${cause.name}: ${cause.message}${deeper === undefined ? '' : ` (${deeper})`}`;
}
