import { CALL_KINDS, kindOfModel, type Narrowing, type OnwardDemand } from '../calls/call-kind.ts';
import { type Catalog, type Endpoint, isListed } from '../catalog/catalog.ts';
import type { EndpointRule, ZdrRule } from './effective-policy.ts';

/** Authors of models that have a switch for zero retention of their own. */
const ZDR_AUTHORS: ReadonlyMap<string, ZdrRule> = new Map([
  ['anthropic', 'enforce_zdr_anthropic'],
  ['openai', 'enforce_zdr_openai'],
  ['google', 'enforce_zdr_google'],
  ['x-ai', 'enforce_zdr_xai'],
  ['xai', 'enforce_zdr_xai'],
]);

/**
 * The demands of guardrails in the form that routing judges every endpoint by, fallbacks included. What an endpoint does
 * with data must be known to pass.
 */
export function toNarrowings(rules: readonly EndpointRule[], catalog: PolicyCatalog): readonly Narrowing[] {
  // The region of the call is named first, because no change of the request can alter it.
  const isOfRegions = ({ rule }: EndpointRule): boolean => rule === 'allowed_data_regions';
  const sorted = [...rules.filter(isOfRegions), ...rules.filter((demand) => !isOfRegions(demand))];
  return sorted.map((written) => {
    const demand = withTags(written, catalog);
    return {
      rule: demand.rule,
      guardrailId: demand.guardrailId,
      excludes: (endpoint, region) =>
        demand.rule === 'allowed_data_regions'
          ? !demand.values.includes(region?.dataRegion ?? 'global')
          : isExcluded(endpoint, demand, catalog),
      // Slugs of the configuration mean nothing to a gateway upstream.
      onward: (endpoint) => toOnwardDemand(endpoint, written),
    };
  });
}

/** The demand with the slugs and tags that its names of providers stand for, looked up once and not for each endpoint. */
function withTags(demand: EndpointRule, { providerNames }: PolicyCatalog): EndpointRule {
  return demand.rule === 'allowed_providers' || demand.rule === 'ignored_providers'
    ? { ...demand, values: providerNames.toTags(demand.values) }
    : demand;
}

/** What policies read of the catalog. */
export type PolicyCatalog = Pick<Catalog, 'find' | 'providerNames'>;

type RuleOfEndpoints = Exclude<EndpointRule, { readonly rule: 'allowed_data_regions' }>;

function isExcluded(endpoint: Endpoint, demand: RuleOfEndpoints, catalog: Pick<Catalog, 'find'>): boolean {
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
    case 'enable_paid_model_training':
      return !isFree(endpoint) && training !== false;
    case 'enable_free_model_training':
      return isFree(endpoint) && training !== false;
    case 'enable_free_model_publication':
      // It is unknown whether such providers publish prompts; a provider that retains none cannot publish them.
      return isFree(endpoint) && retainsPrompts !== false;
    default:
      return zdrRuleOf(endpoint) === demand.rule && (retainsPrompts !== false || isOfRetainingKind(endpoint, catalog));
  }
}

/** Lists of models say nothing of the providers behind an endpoint, nor does the list of those that may be used. */
function toOnwardDemand(endpoint: Endpoint, demand: EndpointRule): OnwardDemand | null {
  switch (demand.rule) {
    case 'allowed_models':
    case 'ignored_models':
    case 'allowed_providers':
    case 'allowed_data_regions':
      return null;
    case 'ignored_providers':
      return { ignore: demand.values };
    case 'enable_paid_model_training':
      return isFree(endpoint) ? null : { training: false };
    case 'enable_free_model_training':
      return isFree(endpoint) ? { training: false } : null;
    case 'enable_free_model_publication':
      return isFree(endpoint) ? { training: false, zdr: true } : null;
    default:
      return zdrRuleOf(endpoint) === demand.rule ? { zdr: true } : null;
  }
}

/** Compares the model's id and its canonical slug, whichever of them the request used. */
function isModelListed(slugs: readonly string[], { modelId }: Endpoint, catalog: Pick<Catalog, 'find'>): boolean {
  if (slugs.includes(modelId)) return true;
  const canonical = catalog.find(modelId)?.definition.canonical_slug;
  return canonical !== undefined && slugs.includes(canonical);
}

function zdrRuleOf({ modelId }: Endpoint): ZdrRule {
  return ZDR_AUTHORS.get(modelId.slice(0, modelId.indexOf('/')).toLowerCase()) ?? 'enforce_zdr_other';
}

function isOfRetainingKind({ modelId }: Endpoint, catalog: Pick<Catalog, 'find'>): boolean {
  const model = catalog.find(modelId);
  return model !== undefined && CALL_KINDS[kindOfModel(model)].retainsData;
}

function isFree({ modelId, prices }: Endpoint): boolean {
  return modelId.endsWith(':free') || (prices.prompt === 0n && prices.completion === 0n);
}
