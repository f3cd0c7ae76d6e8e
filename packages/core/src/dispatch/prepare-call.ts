import type { CallBound, Narrowing } from '../calls/call-kind.ts';
import type { ModelCall, Pipeline } from '../calls/model-call.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { GuardedCall } from '../guardrails/guard-call.ts';
import { effectsOfExclusions, effectsOfStages, type GuardrailHits } from '../guardrails/hits.ts';
import type { Policy, PolicyOf } from '../guardrails/policy.ts';
import type { HeaderMap, Principal } from '../http/request.ts';
import { boundWithin, type Budget, type BudgetParts, findBudgets } from '../limits/budgets.ts';
import { withinBounds } from '../limits/reserve-call.ts';
import { createRoutingReport, refuseUnplanned, type RoutingReport } from '../routing/explain.ts';
import { type CallPlan, planCall, type PlanOptions, type RoutingParts } from '../routing/plan-call.ts';
import type { GenerationRepository } from '../stores/store.ts';

interface PlanWithin {
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

interface PlannedCall extends PlanWithin {
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

/** The rules for the calls of one principal. */
export interface Caller {
  /** Null when no guardrail holds. */
  readonly policy: Policy | null;
  /** Every limit that a call has to fit in. */
  readonly budgets: readonly Budget[];
  /** Counts what the policy does to refused calls. */
  readonly hits: Pick<GuardrailHits, 'noteRefused'>;
}

export interface CallerParts extends BudgetParts, Pick<Caller, 'hits'> {
  readonly policyOf: PolicyOf;
  readonly store: BudgetParts['store'] & { readonly generations: Pick<GenerationRepository, 'findNoRoom'> };
}

/** Synchronous with tables in memory. Rejects with `permission_denied` when a guardrail cannot be applied. */
export function findCaller(principal: Principal, parts: CallerParts): Awaitable<Caller> {
  return whenKnown(parts.policyOf(principal), (policy) =>
    whenKnown(findBudgets(principal, policy, parts), (budgets) => ({ policy, budgets, hits: parts.hits })),
  );
}

const ROOM_RETRY_SECONDS = 5;

/** Refuses a call that could not be recorded, before it costs anything: by a 503 that says why. */
export function refuseWithoutRoom({ store }: Pick<CallerParts, 'store'>): void {
  const reason = store.generations.findNoRoom?.() ?? null;
  if (reason === null) return;
  throw new GatewayError('provider_overloaded', `${reason}, so this call could not be recorded; try again shortly`, {
    retryAfterSeconds: ROOM_RETRY_SECONDS,
  });
}
