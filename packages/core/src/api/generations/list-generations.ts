import {
  listGenerations as findGenerations,
  type FoundGenerations,
  getGenerations,
  parseCursor,
  parseSortedCursor,
  toAskedRow,
  toCursor,
  toGenerationFilter,
  toSortedCursor,
} from '../../generations/list-generations.ts';
import { operation } from '../../http/operation.ts';
import { refuseField } from '../../wire/fields.ts';
import {
  type GenerationListQuery,
  generationListQuerySchema,
  generationListSchema,
} from '../../wire/generation-list.ts';
import type { GenerationParts } from './generation-parts.ts';
import { toSearchedFrom } from './searched-from.ts';

/** `GET /admin/v1/generations`: newest first or sorted, page by page. */
export const listGenerations = operation<GenerationParts>()({
  query: generationListQuerySchema,
  response: generationListSchema,
  async run({ parts, query: asked }) {
    const { limit: _limit, cursor, id: ids, fields, sort: _sort, order: _order, ...filters } = asked;
    const isNarrowed = Object.values(filters).some((value) => value !== undefined);
    if (ids !== undefined && (isNarrowed || isSorted(asked) || cursor !== undefined))
      throw refuseField('id', 'cannot be given together with a filter, an order or a cursor');
    const { records, nextCursor, searched, searchedBackTo, searchedFromMs }: FoundPage =
      ids === undefined ? await findPage(asked, parts) : { ...(await getGenerations(ids, parts)), nextCursor: null };
    return {
      data: await Promise.all(records.map((record) => toAskedRow(record, fields, parts))),
      next_cursor: nextCursor,
      key_names: await parts.findKeyNames(new Set(records.map(({ principalId }) => principalId))),
      ...(!isNarrowed && ids === undefined && { total_estimate: await parts.store.generations.count() }),
      ...(asked.text !== undefined && { searched: { records: searched, back_to: searchedBackTo } }),
      ...toSearchedFrom(searchedFromMs),
    };
  },
});

/** Newest first, which the store can do by reading no further than a page, is no sorting. */
const isSorted = ({ sort, order }: GenerationListQuery): boolean => sort !== 'time' || order !== 'desc';

interface FoundPage extends Omit<FoundGenerations, 'next'> {
  readonly nextCursor: string | null;
  /** In sorted lists. */
  readonly searchedFromMs?: number | undefined;
}

async function findPage(asked: GenerationListQuery, parts: GenerationParts): Promise<FoundPage> {
  const { limit, cursor, text, sort, order } = asked;
  const filter = toGenerationFilter(asked, parts);
  if (!isSorted(asked)) {
    const found = await findGenerations({ filter, text, limit, before: parseCursor(cursor) }, parts);
    return { ...found, nextCursor: toCursor(found.next) };
  }
  if (text !== undefined) {
    const reason = 'a text is looked for from the newest call on';
    throw refuseField('sort', `cannot be given together with text: ${reason}`);
  }
  const after = parseSortedCursor(cursor, asked);
  const { records, next, searchedFromMs } = await parts.store.generations.sorted({ limit, sort, order, after, filter });
  return { records, nextCursor: toSortedCursor(next, asked), searched: 0, searchedBackTo: null, searchedFromMs };
}
