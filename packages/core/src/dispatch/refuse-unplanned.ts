import type { GatewayError } from '../foundation/errors.ts';
import { noEndpointLeft } from '../routing/endpoints/no-endpoint-left.ts';
import type { CallPlan } from '../routing/plan-call.ts';
import { type RoutingReport, withReport } from '../routing/routing-metadata.ts';

/**
 * Throws the refusal of a call that is blocked or has no endpoint left, with the routing report where the caller
 * requested it.
 */
export function refuseUnplanned(plan: CallPlan, refusal: GatewayError | null, report: RoutingReport | null): void {
  const error = refusal ?? (plan.endpoints.length === 0 ? noEndpointLeft(plan) : null);
  if (error !== null) throw withReport(error, report, { attempts: [], hasFailed: true });
}
