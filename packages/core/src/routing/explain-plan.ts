import { type Endpoint, priceOf } from '../catalog/catalog.ts';
import type { RoutingExplanation } from '../wire/routing-rules.ts';
import type { Exclusion } from './endpoints/select-endpoints.ts';
import type { HealthBoard } from './health/health-board.ts';
import { toHealthFields } from './health/to-health-fields.ts';
import type { CallPlan } from './plan-call.ts';
import { toRuleMembers } from './routing-metadata.ts';

type EndpointExplanation = RoutingExplanation['endpoints'][number];

/** Reports for every endpoint of a plan at which rank it may be called, or which rule excludes it. */
export function explainPlan(plan: CallPlan, health: HealthBoard): RoutingExplanation {
  return {
    requested: plan.requested,
    strategy: plan.strategy,
    ...(plan.ruled !== undefined && toRuleMembers(plan.ruled)),
    region: plan.region,
    models: [...plan.models],
    unknown_providers: [...plan.unknownProviders],
    endpoints: [
      ...plan.endpoints.map((endpoint, index) => explain(endpoint, index + 1, null, health)),
      ...plan.excluded.map((exclusion) => explain(exclusion.endpoint, null, exclusion, health)),
    ],
  };
}

function explain(
  endpoint: Endpoint,
  rank: number | null,
  exclusion: Exclusion | null,
  health: HealthBoard,
): EndpointExplanation {
  const price = priceOf(endpoint);
  const report = health.of(endpoint).report();
  return {
    provider: endpoint.tag,
    provider_name: endpoint.provider.name,
    model: endpoint.modelId,
    provider_model: endpoint.providerModel,
    included: exclusion === null,
    rank,
    rule: exclusion?.rule ?? null,
    guardrail_id: exclusion?.guardrailId ?? null,
    price: {
      prompt: endpoint.pricing?.prompt ?? null,
      completion: endpoint.pricing?.completion ?? null,
      compared: Number.isFinite(price) ? price : null,
    },
    takes_prefill: endpoint.prefill !== null,
    health: { standing: report.standing, ...toHealthFields(report) },
  };
}
