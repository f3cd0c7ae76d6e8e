import type { CatalogModel } from '../catalog/catalog.ts';
import { filterModels, type ModelListQuery, modelListQuerySchema } from '../catalog/filter-models.ts';
import type { RequestContext } from '../context.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { selectEndpoints } from '../routing/select-endpoints.ts';

const DEFAULT_LIMIT = 500;

/** `GET /models` */
export function listModels(context: RequestContext): Promise<GatewayResponse> {
  return answerList(context, context.runtime.catalog.list());
}

/** `GET /models/user`: the models of which the account's preferences and privacy leave an endpoint. */
export function listUserModels(context: RequestContext): Promise<GatewayResponse> {
  return answerList(context, usableModels(context));
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

function usableModels({ runtime: { catalog, account } }: RequestContext): readonly CatalogModel[] {
  return catalog.list().flatMap((model) => {
    const resolved = { model, variants: [] };
    const { endpoints } = selectEndpoints({ resolved, preferences: {}, account, parameters: [] });
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
}
