import type { CatalogModel } from '../catalog/catalog.ts';
import { filterModels, type ModelListQuery, modelListQuerySchema } from '../catalog/filter-models.ts';
import type { RequestContext } from '../context.ts';
import type { AccountOptions } from '../options.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import type { Narrowing } from '../routing/endpoint-filters.ts';
import { selectEndpoints } from '../routing/select-endpoints.ts';

const DEFAULT_LIMIT = 500;

/** `GET /models` */
export function listModels(context: RequestContext): Promise<GatewayResponse> {
  const { runtime, request } = context;
  const region = runtime.regionOf(request);
  // Under a regional host nothing else can be served, so nothing else is shown.
  return answerList(context, region === null ? runtime.catalog.list() : servableModels(context, {}));
}

/** `GET /models/user`: the models of which the account and the caller's guardrails leave an endpoint. */
export async function listUserModels(context: RequestContext): Promise<GatewayResponse> {
  const { runtime, principal } = context;
  const policy = await runtime.policyOf(principal);
  return answerList(context, servableModels(context, runtime.account, policy?.narrowings));
}

/** `GET /models/count` */
export async function countModels(context: RequestContext): Promise<GatewayResponse> {
  const { output_modalities } = readQuery(context);
  const found = filterModels(context.runtime.catalog.list(), output_modalities ? { output_modalities } : {});
  return toJsonResponse(200, { data: { count: found.length } });
}

async function answerList(context: RequestContext, models: readonly CatalogModel[]): Promise<GatewayResponse> {
  const query = readQuery(context);
  const found = filterModels(models, query);
  // Without paging parameters the whole list is the answer.
  if (query.offset === undefined && query.limit === undefined) {
    return toJsonResponse(200, { data: found, total_count: found.length, links: { next: null } });
  }
  const offset = query.offset ?? 0;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const end = offset + limit;
  return toJsonResponse(200, {
    data: found.slice(offset, end),
    total_count: found.length,
    links: { next: end < found.length ? nextLink(context, end, limit) : null },
  });
}

/** The same list, one page on; filters stay as they were. */
function nextLink({ request }: RequestContext, offset: number, limit: number): string {
  const parameters = new URLSearchParams(request.query);
  parameters.set('offset', String(offset));
  parameters.set('limit', String(limit));
  return `${request.path}?${parameters.toString()}`;
}

function readQuery({ request }: RequestContext): ModelListQuery {
  return parseWith(modelListQuerySchema, Object.fromEntries(new URLSearchParams(request.query)));
}

function servableModels(
  { runtime, request }: RequestContext,
  account: AccountOptions,
  narrowings?: readonly Narrowing[],
): readonly CatalogModel[] {
  const region = runtime.regionOf(request);
  return runtime.catalog.list().flatMap((model) => {
    const resolved = { model, variants: [] };
    const { endpoints } = selectEndpoints({ resolved, preferences: {}, account, region, narrowings });
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
}
