import type { GatewayError } from '../foundation/errors.ts';
import { noEndpointLeft } from '../routing/no-endpoint-left.ts';
import type { CallPlan } from '../routing/plan-call.ts';
import { type RoutingReport, withReport } from '../routing/routing-metadata.ts';

/**
 * Throws the refusal of a call that must go no further, or that no endpoint is left for, with the report beside it where
 * the caller asked for one.
 */
export function refuseUnplanned(plan: CallPlan, refusal: GatewayError | null, report: RoutingReport | null): void {
  const error = refusal ?? (plan.endpoints.length === 0 ? noEndpointLeft(plan) : null);
  if (error !== null) throw withReport(error, report, { attempts: [], hasFailed: true });
}
