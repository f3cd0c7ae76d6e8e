import {
  getGenerations,
  listGenerations as findGenerations,
  parseCursor,
  toAskedRow,
  toCursor,
  toGenerationFilter,
} from '../../generations/read/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { generationListQuerySchema, generationListSchema } from '../../wire/generations/generation-list.ts';
import { refuseField } from '../../wire/refuse-field.ts';
import type { GenerationParts } from './generation-parts.ts';

/** `GET /admin/v1/generations`: newest first, page by page. */
export const listGenerations = operation<GenerationParts>()({
  query: generationListQuerySchema,
  response: generationListSchema,
  async run({ parts, query: asked }) {
    const { limit, cursor, text, id: ids, fields, ...query } = asked;
    const isNarrowed = text !== undefined || Object.values(query).some((value) => value !== undefined);
    if (ids !== undefined && (isNarrowed || cursor !== undefined))
      throw refuseField('id', 'cannot be given together with a filter or a cursor');
    const before = parseCursor(cursor);
    const { records, next, searched, searchedBackTo } =
      ids === undefined
        ? await findGenerations({ filter: toGenerationFilter(query, parts), text, limit, before }, parts)
        : await getGenerations(ids, parts);
    return {
      data: records.map((record) => toAskedRow(record, fields)),
      next_cursor: toCursor(next),
      key_names: await parts.findKeyNames(new Set(records.map(({ principalId }) => principalId))),
      ...(!isNarrowed && ids === undefined && { total_estimate: await parts.store.generations.count() }),
      ...(text !== undefined && { searched: { records: searched, back_to: searchedBackTo } }),
    };
  },
});
