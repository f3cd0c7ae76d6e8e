import type { Endpoint } from '../catalog/catalog.ts';
import type { RoutingCandidate, RoutingDecision } from '../wire/routing.ts';
import type { HealthBoard } from './health/health-board.ts';
import type { CallPlan } from './plan-call.ts';

/** A router may have considered hundreds. */
const MAX_CANDIDATES = 50;

/**
 * Converts a plan to the form that is stored with its call: compact, and with the standing of each endpoint now. Null
 * where there was nothing to decide: most calls are of a model with one endpoint, and their record names it.
 */
export function toRoutingDecision(plan: CallPlan, health: HealthBoard): RoutingDecision | null {
  const { requested, strategy, orderedBy, endpoints, excluded } = plan;
  if (endpoints.length + excluded.length < 2) return null;
  const candidates: RoutingCandidate[] = [];
  for (const endpoint of endpoints) {
    if (candidates.length === MAX_CANDIDATES) break;
    const candidate: RoutingCandidate = nameOf(endpoint);
    const standing = health.of(endpoint).circuitState();
    if (standing !== 'steady') candidate.standing = standing;
    candidates.push(candidate);
  }
  for (const { endpoint, rule, guardrailId } of excluded) {
    if (candidates.length === MAX_CANDIDATES) break;
    const candidate: RoutingCandidate = { ...nameOf(endpoint), rule };
    if (guardrailId !== undefined) candidate.guardrail_id = guardrailId;
    candidates.push(candidate);
  }
  const decision: RoutingDecision = { requested, strategy, candidates };
  if (orderedBy !== null) decision.ordered_by = orderedBy;
  const more = endpoints.length + excluded.length - candidates.length;
  if (more > 0) decision.more = more;
  return decision;
}

const nameOf = ({ tag, provider, modelId }: Endpoint): RoutingCandidate => ({
  provider: tag,
  provider_name: provider.name,
  model: modelId,
});
