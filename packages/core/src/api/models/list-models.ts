import type { CatalogModel } from '../../catalog/catalog.ts';
import { filterModels, type ModelListQuery, modelListQuerySchema } from '../../catalog/filter-models.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { findShownEndpoints, findUsableEndpoints, modelsWith } from '../../dispatch/usable-endpoints.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

const DEFAULT_LIMIT = 500;

/** `GET /models`: to callers of models, what they may use; to who administers, what there is. */
export async function listModels(context: RequestContext): Promise<GatewayResponse> {
  return answerList(context, modelsWith(await findShownEndpoints(context), context.runtime));
}

/** `GET /models/user`: the models of which the account and the caller's guardrails leave an endpoint. */
export async function listUserModels(context: RequestContext): Promise<GatewayResponse> {
  return answerList(context, modelsWith(await findUsableEndpoints(context), context.runtime));
}

/** `GET /models/count` */
export async function countModels(context: RequestContext): Promise<GatewayResponse> {
  const { output_modalities } = readQuery(context);
  const shown = modelsWith(await findShownEndpoints(context), context.runtime);
  const found = filterModels(shown, output_modalities ? { output_modalities } : {});
  return toJsonResponse(200, { data: { count: found.length } });
}

function answerList(context: RequestContext, models: readonly CatalogModel[]): GatewayResponse {
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
