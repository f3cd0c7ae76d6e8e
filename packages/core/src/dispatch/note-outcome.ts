import type { Outcome } from '../calls/outcome.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import { isCompletionBlocked } from '../guardrails/verdict.ts';
import type { HealthBoard } from '../routing/health/health-board.ts';
import type { Usage } from '../wire/chat/chat-chunk.ts';

export interface OutcomeParts {
  readonly health: HealthBoard;
  readonly platform: Pick<Platform, 'monotonicNow'>;
}

/** A call that had begun at an endpoint, and how it ended. */
export interface EndedAttempt {
  readonly endpoint: Endpoint;
  /** Time at which the endpoint was called, on the monotonic clock. */
  readonly startedAt: number;
  readonly outcome: Outcome;
  readonly usage: Usage | undefined;
}

/**
 * Reports the end of a call that began at an endpoint to its health. Calls that ended because their client left,
 * because the gateway closed, or because a guardrail blocked the completion are not reported: they contain no
 * information about the endpoint.
 */
export function noteOutcome(
  { endpoint, startedAt, outcome, usage }: EndedAttempt,
  { health, platform }: OutcomeParts,
): void {
  const endpointHealth = health.of(endpoint);
  if (outcome.status === 'failed' && !isCompletionBlocked(outcome.error))
    endpointHealth.noteFailed(outcome.error, true);
  if (outcome.status !== 'completed') return;
  const tokens = usage?.estimated === true ? undefined : usage?.completion_tokens;
  endpointHealth.noteCompleted(tokens, platform.monotonicNow() - startedAt);
}
