import { boundWithin } from '../budgets/find-budgets.ts';
import { withinBounds } from '../budgets/reserve-call.ts';
import type { CallBound } from '../calls/call-kind.ts';
import type { ModelCall } from '../calls/model-call.ts';
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
  options: Pick<PlanOptions, 'random'> = {},
): PlanWithin {
  const bound = boundWithin(call, budgets);
  const narrowings = [...(policy?.narrowings ?? []), ...(bound === null ? [] : [withinBounds(bound)])];
  return { plan: planCall(call, { ...options, narrowings }, routing), bound };
}
