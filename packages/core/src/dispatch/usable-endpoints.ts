import type { CatalogModel, Endpoint } from '../catalog/catalog.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ServiceTier } from '../catalog/endpoint-tier.ts';
import type { EndpointQuery } from '../routing/endpoint-filters.ts';
import type { Runtime } from '../runtime.ts';
import { makesVideos } from '../guardrails/to-narrowings.ts';
import { selectEndpoints } from '../routing/select-endpoints.ts';

/** Tells the endpoints of a model that its caller may use, as the catalogue lists them. */
export type UsableEndpoints = (model: CatalogModel) => readonly Endpoint[];

const EVERY_TIER: ReadonlySet<ServiceTier> = new Set(['flex', 'priority']);

/**
 * What the account's settings, the caller's guardrails and the host of a request leave of models. Rejects with
 * `permission_denied` when a guardrail cannot be applied.
 */
export async function findUsableEndpoints({ runtime, principal, request }: RequestContext): Promise<UsableEndpoints> {
  const policy = await runtime.policyOf(principal);
  return toUsable(
    { account: runtime.account, region: runtime.regionOf(request), narrowings: policy?.narrowings },
    runtime,
  );
}

/**
 * The same for lists that everybody reads: who administers sees what there is, because guardrails are made of it. Under
 * a regional host nothing else can be served, so nothing else is shown to anybody.
 */
export async function findShownEndpoints(context: RequestContext): Promise<UsableEndpoints> {
  const { runtime, principal, request } = context;
  if (principal.kind === 'api') return findUsableEndpoints(context);
  const region = runtime.regionOf(request);
  return region === null ? ({ endpoints }) => endpoints : toUsable({ account: {}, region }, runtime);
}

/** The models of which something is left, with that. */
export function modelsWith(usable: UsableEndpoints, { catalog }: Pick<Runtime, 'catalog'>): readonly CatalogModel[] {
  return catalog.list().flatMap((model) => {
    const endpoints = usable(model);
    if (endpoints.length === model.endpoints.length) return [model];
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
}

type Bounds = Pick<EndpointQuery, 'account' | 'region' | 'narrowings'>;

function toUsable(bounds: Bounds, { platform }: Runtime): UsableEndpoints {
  const common = {
    ...bounds,
    preferences: {},
    tiers: EVERY_TIER,
    today: new Date(platform.now()).toISOString().slice(0, 10),
  };
  return (model) => {
    const isVideo = makesVideos(model);
    // Videos are kept by those who make them.
    if (isVideo && bounds.account.privacy?.zdr === true) return [];
    const operation = isVideo ? 'video' : 'chat';
    return selectEndpoints({ ...common, resolved: { model, variants: [] }, operation }).endpoints;
  };
}
