import type { RequestContext } from '../context.ts';
import {
  listGenerations as findGenerations,
  parseCursor,
  toCursor,
  toGenerationFilter,
  toGenerationRow,
} from '../generations/list-generations.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { generationListQuerySchema } from '../schemas/generation-list.ts';
import { readQuery } from '../schemas/page-query.ts';

/** `GET /admin/v1/generations`: newest first, page by page. */
export async function listGenerations({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { limit, cursor, text, ...query } = readQuery(generationListQuerySchema, request.query);
  const filter = toGenerationFilter(query, runtime);
  const { records, next } = await findGenerations({ filter, text, limit, before: parseCursor(cursor) }, runtime);
  const isWhole = text === undefined && Object.values(query).every((value) => value === undefined);
  return toJsonResponse(200, {
    data: records.map(toGenerationRow),
    next_cursor: toCursor(next),
    key_names: await runtime.findKeyNames(new Set(records.map(({ principalId }) => principalId))),
    ...(isWhole && { total_estimate: await runtime.store.generations.count() }),
  });
}
