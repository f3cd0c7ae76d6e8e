import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import type { Narrowing } from '../routing/endpoint-filters.ts';
import { isListed } from '../routing/endpoint-tier.ts';
import type { EndpointRule, ZdrRule } from './effective-policy.ts';

/** Authors of models that have a switch for zero retention of their own. */
const ZDR_AUTHORS: ReadonlyMap<string, ZdrRule> = new Map([
  ['anthropic', 'enforce_zdr_anthropic'],
  ['openai', 'enforce_zdr_openai'],
  ['google', 'enforce_zdr_google'],
  ['x-ai', 'enforce_zdr_xai'],
  ['xai', 'enforce_zdr_xai'],
]);

/** Names of regions where the wire's differ from ours. */
const WIRE_REGIONS: ReadonlyMap<string, string> = new Map([['eu', 'europe']]);

/**
 * The demands of guardrails in the form that routing judges every endpoint by, fallbacks included. What an endpoint does
 * with data must be known to pass.
 */
export function toNarrowings(rules: readonly EndpointRule[], catalog: Pick<Catalog, 'find'>): readonly Narrowing[] {
  return rules.map((demand) => ({
    rule: demand.rule,
    guardrailId: demand.guardrailId,
    excludes: (endpoint) => isExcluded(endpoint, demand, catalog),
  }));
}

function isExcluded(endpoint: Endpoint, demand: EndpointRule, catalog: Pick<Catalog, 'find'>): boolean {
  const { training, retainsPrompts } = endpoint.provider.dataPolicy;
  switch (demand.rule) {
    case 'allowed_models':
      return !isModelListed(demand.values, endpoint, catalog);
    case 'ignored_models':
      return isModelListed(demand.values, endpoint, catalog);
    case 'allowed_providers':
      return !isListed(demand.values, endpoint);
    case 'ignored_providers':
      return isListed(demand.values, endpoint);
    case 'allowed_data_regions':
      return !demand.values.includes(regionOf(endpoint));
    case 'enable_paid_model_training':
      return !isFree(endpoint) && training !== false;
    case 'enable_free_model_training':
      return isFree(endpoint) && training !== false;
    case 'enable_free_model_publication':
      // Nobody says whether they publish; who keeps nothing has nothing to publish.
      return isFree(endpoint) && retainsPrompts !== false;
    default:
      return zdrRuleOf(endpoint) === demand.rule && retainsPrompts !== false;
  }
}

/** By the model's id or its canonical slug: which one a request had used makes no difference any more. */
function isModelListed(slugs: readonly string[], { modelId }: Endpoint, catalog: Pick<Catalog, 'find'>): boolean {
  if (slugs.includes(modelId)) return true;
  const canonical = catalog.find(modelId)?.definition.canonical_slug;
  return canonical !== undefined && slugs.includes(canonical);
}

function regionOf({ region }: Endpoint): string {
  return region === null ? 'global' : (WIRE_REGIONS.get(region) ?? region);
}

function zdrRuleOf({ modelId }: Endpoint): ZdrRule {
  return ZDR_AUTHORS.get(modelId.slice(0, modelId.indexOf('/')).toLowerCase()) ?? 'enforce_zdr_other';
}

function isFree({ modelId, prices }: Endpoint): boolean {
  return modelId.endsWith(':free') || (prices.prompt === 0n && prices.completion === 0n);
}
