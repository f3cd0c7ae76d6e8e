import type { CallBound, Narrowing } from '../calls/call-kind.ts';
import type { ModelCall, Pipeline } from '../calls/model-call.ts';
import type { GuardedCall } from '../guardrails/guard-call.ts';
import { effectsOfExclusions, effectsOfStages } from '../guardrails/hits.ts';
import type { HeaderMap } from '../http/request.ts';
import { boundWithin } from '../limits/budgets.ts';
import { withinBounds } from '../limits/reserve-call.ts';
import { createRoutingReport, refuseUnplanned, type RoutingReport } from '../routing/explain.ts';
import { type CallPlan, planCall, type PlanOptions, type RoutingParts } from '../routing/plan-call.ts';
import type { Caller } from './find-caller.ts';

export interface PlanWithin {
  readonly plan: CallPlan;
  /** The most that the call may use; null where no budget limits it. */
  readonly bound: CallBound | null;
}

/** Plans a call for the endpoints that its caller's policy and budgets admit. */
export function planWithin(
  call: ModelCall,
  { policy, budgets }: Caller,
  routing: RoutingParts,
  options: Partial<PlanOptions> = {},
): PlanWithin {
  const bound = boundWithin(call, budgets);
  const narrowings = [
    ...(options.narrowings ?? []),
    ...(policy?.narrowings ?? []),
    ...(bound === null ? [] : [withinBounds(bound)]),
  ];
  return { plan: planCall(call, { ...options, narrowings }, routing), bound };
}

export interface PlannedCall extends PlanWithin {
  /** Null when the caller did not request it. */
  readonly report: RoutingReport | null;
}

interface PlannableCall<Request> extends GuardedCall<Request> {
  readonly pipeline: Pipeline;
  /** Rules of the kind of call itself. */
  readonly narrowings?: readonly Narrowing[];
}

/**
 * Plans a guarded call. Throws its refusal, or that no endpoint is left, with the routing report: a call that was
 * refused before is planned all the same, because its report shows the plan.
 */
export function planGuarded<Request>(
  { call, refusal, pipeline, narrowings = [] }: PlannableCall<Request>,
  caller: Caller,
  headers: HeaderMap,
  routing: RoutingParts,
): PlannedCall {
  const planned = planWithin(call, caller, routing, { narrowings });
  const report = createRoutingReport(headers, planned.plan, pipeline);
  if (caller.policy !== null) noteEffects({ call, pipeline, plan: planned.plan, isRefused: refusal !== null }, caller);
  refuseUnplanned(planned.plan, refusal, report);
  return { ...planned, report };
}

interface JudgedCall extends Pick<PlanWithin, 'plan'> {
  readonly call: ModelCall;
  readonly pipeline: Pipeline;
  readonly isRefused: boolean;
}

/** Of a call that goes on, the record tells what guardrails did to it; a refused one has no record, and is counted here. */
export function noteEffects({ call, pipeline, plan, isRefused }: JudgedCall, { hits }: Pick<Caller, 'hits'>): void {
  const isUnserved = !isRefused && plan.endpoints.length === 0;
  const exclusions = isRefused ? [] : effectsOfExclusions(plan.excluded, isUnserved ? 'unserved' : 'narrowed');
  if (isRefused || isUnserved) {
    const caller = { principalId: call.principal.id, model: plan.requested };
    hits.noteRefused([...effectsOfStages(pipeline.stages), ...exclusions], caller);
  } else if (exclusions.length > 0) {
    pipeline.narrowedBy = exclusions.map(({ guardrailId }) => guardrailId);
  }
}
