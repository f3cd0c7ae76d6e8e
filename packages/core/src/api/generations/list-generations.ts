import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import {
  getGenerations,
  listGenerations as findGenerations,
  parseCursor,
  toAskedRow,
  toCursor,
  toGenerationFilter,
} from '../../generations/read/list-generations.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { generationListQuerySchema } from '../../wire/generations/generation-list.ts';
import { readQuery } from '../../wire/page-query.ts';

/** `GET /admin/v1/generations`: newest first, page by page. */
export async function listGenerations({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  const { limit, cursor, text, id: ids, fields, ...query } = readQuery(generationListQuerySchema, request.query);
  const isNarrowed = text !== undefined || Object.values(query).some((value) => value !== undefined);
  if (ids !== undefined && (isNarrowed || cursor !== undefined))
    throw new GatewayError('invalid_request', 'id: cannot be given together with a filter or a cursor');
  const before = parseCursor(cursor);
  const { records, next, searched, searchedBackTo } =
    ids === undefined
      ? await findGenerations({ filter: toGenerationFilter(query, runtime), text, limit, before }, runtime)
      : await getGenerations(ids, runtime);
  return toJsonResponse(200, {
    data: records.map((record) => toAskedRow(record, fields)),
    next_cursor: toCursor(next),
    key_names: await runtime.findKeyNames(new Set(records.map(({ principalId }) => principalId))),
    ...(!isNarrowed && ids === undefined && { total_estimate: await runtime.store.generations.count() }),
    ...(text !== undefined && { searched: { records: searched, back_to: searchedBackTo } }),
  });
}
