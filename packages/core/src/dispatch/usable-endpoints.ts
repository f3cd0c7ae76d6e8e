import type { AccountOptions } from '../account/account.ts';
import { type CallRegion, kindOfModel } from '../calls/call-kind.ts';
import type { RegionOf } from '../calls/regions.ts';
import type { Catalog, CatalogModel, Endpoint, ServiceTier } from '../catalog/catalog.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Policy, PolicyOf } from '../guardrails/policy.ts';
import type { RequestContext } from '../http/request.ts';
import { type EndpointQuery, selectEndpoints } from '../routing/select-endpoints.ts';

export interface EndpointParts {
  readonly platform: Platform;
  readonly account: AccountOptions;
  readonly catalog: Catalog;
  readonly policyOf: PolicyOf;
  readonly regionOf: RegionOf;
}

type EndpointContext = Pick<RequestContext<EndpointParts>, 'request' | 'principal' | 'parts'>;

/** Returns the endpoints of a model that its caller may use, in the order of the catalog. */
export type UsableEndpoints = (model: CatalogModel) => readonly Endpoint[];

const EVERY_TIER: ReadonlySet<ServiceTier> = new Set(['flex', 'priority']);

export interface UsableParts {
  readonly account: AccountOptions;
  readonly platform: Pick<Platform, 'now'>;
}

interface UsableQuery {
  /** The demands of guardrails on the caller's calls. */
  readonly policy: Policy | null;
  /** The region whose host was called; null for none. */
  readonly region: CallRegion | null;
}

/** Returns the endpoints that the account's settings, the caller's guardrails and the host of a request allow. */
export function toUsableEndpoints({ policy, region }: UsableQuery, parts: UsableParts): UsableEndpoints {
  return toUsable({ account: parts.account, region, constraints: policy?.constraints }, parts);
}

/** The same for a request that lists models. Rejects with `permission_denied` when a guardrail cannot be applied. */
export async function findUsableEndpoints({ request, principal, parts }: EndpointContext): Promise<UsableEndpoints> {
  return toUsableEndpoints({ policy: await parts.policyOf(principal), region: parts.regionOf(request) }, parts);
}

/**
 * Finds the endpoints for public lists: administrators see all of them, because they choose among them for guardrails.
 * Under a regional host no other endpoints can be served, so no others are shown.
 */
export async function findShownEndpoints(context: EndpointContext): Promise<UsableEndpoints> {
  const { parts, principal, request } = context;
  if (principal.kind === 'api') return findUsableEndpoints(context);
  const region = parts.regionOf(request);
  return region === null ? ({ endpoints }) => endpoints : toUsable({ account: {}, region }, parts);
}

/** The models of which something is left, with that. */
export function modelsWith(
  usable: UsableEndpoints,
  { catalog }: { readonly catalog: Catalog },
): readonly CatalogModel[] {
  return catalog.list().flatMap((model) => {
    const endpoints = usable(model);
    if (endpoints.length === model.endpoints.length) return [model];
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
}

type Bounds = Pick<EndpointQuery, 'account' | 'region' | 'constraints'>;

function toUsable(bounds: Bounds, { platform }: UsableParts): UsableEndpoints {
  const common = {
    ...bounds,
    preferences: {},
    tiers: EVERY_TIER,
    today: new Date(platform.now()).toISOString().slice(0, 10),
  };
  return (model) =>
    selectEndpoints({ ...common, resolved: { model, variants: [] }, kind: kindOfModel(model) }).endpoints;
}
