import type { Endpoint } from '../catalog/catalog.ts';
import type { CallTimeline } from '../wire/generation.ts';
import type { RoutingDecision, SkipReason } from '../wire/routing.ts';
import { type EndedCall, type TimedStep, toBefore, toMs, toStep } from './ended-call.ts';
import { toStoredCharge } from './spending.ts';

/** An endpoint that was passed over. */
export interface Skipped {
  readonly endpoint: Endpoint;
  readonly reason: SkipReason;
}

/** A loop of tools may take many. */
const MAX_STEPS = 100;

/** Converts the times of a call to the form that is stored with its content. `startedAt`: on the monotonic clock. */
export function toCallTimeline(
  { stepTimes, attempts, decision, cost }: EndedCall,
  startedAt: number,
  steps: readonly TimedStep[] | null,
  skipped: readonly Skipped[] | null,
): CallTimeline {
  const timeline: CallTimeline = {
    before_ms: toBefore(stepTimes, startedAt),
    attempts_ms: attempts.map((attempt) => toMs(startedAt, attempt.startedAt)),
  };
  if (steps !== null) timeline.steps = steps.slice(0, MAX_STEPS).map((step) => toStep(step, startedAt));
  if (cost !== null && cost.charges.length > 0) timeline.charges = cost.charges.map(toStoredCharge);
  if (decision !== null) timeline.decision = skipped === null ? decision : withSkipped(decision, skipped);
  return timeline;
}

/** An endpoint may be passed over in one turn of a call and called in another; the first reason stands. */
function withSkipped(decision: RoutingDecision, skipped: readonly Skipped[]): RoutingDecision {
  return {
    ...decision,
    candidates: decision.candidates.map((candidate) => {
      const found = skipped.find(
        ({ endpoint }) => endpoint.tag === candidate.provider && endpoint.modelId === candidate.model,
      );
      return found === undefined ? candidate : { ...candidate, skipped: found.reason };
    }),
  };
}
