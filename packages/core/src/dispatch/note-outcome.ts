import type { Outcome } from '../calls/outcome.ts';
import { isAnswerBlocked } from '../guardrails/verdict.ts';
import type { Runtime } from '../runtime.ts';
import type { Usage } from '../wire/chat/chat-chunk.ts';
import type { CommittedAnswer } from './run-attempts.ts';

/**
 * Tells an endpoint's health how a call ended that had begun there. Not for calls that ended because their client left
 * or the gateway closed, which say nothing of the endpoint; nor does a guardrail that blocks an answer.
 */
export function noteOutcome(
  runtime: Runtime,
  answer: CommittedAnswer,
  outcome: Outcome,
  usage: Usage | undefined,
): void {
  if (answer.isAccountedFor === true) return;
  const health = runtime.health.of(answer.endpoint);
  if (outcome.status === 'failed' && !isAnswerBlocked(outcome.error)) health.noteFailed(outcome.error, true);
  if (outcome.status !== 'completed') return;
  const tokens = usage?.estimated === true ? undefined : usage?.completion_tokens;
  health.noteCompleted(tokens, runtime.platform.monotonicNow() - answer.startedAt);
}
