import { z } from 'zod';

import type { SortedPlace, SortedQuery } from '../../stores/store.ts';
import { refuseField } from '../../wire/fields.ts';
import { GENERATION_SORTS, SORT_ORDERS } from '../../wire/generation-list.ts';
import { decodeCursor, encodeCursor } from './cursor-text.ts';

type Order = Pick<SortedQuery, 'sort' | 'order'>;

const placeSchema = z.tuple([
  z.enum(GENERATION_SORTS),
  z.enum(SORT_ORDERS),
  z.union([z.number(), z.string(), z.null()]),
  z.number(),
  z.string(),
]);

/** Encodes the end of a page of a sorted list for callers, as an opaque value. */
export function toSortedCursor(place: SortedPlace | null, { sort, order }: Order): string | null {
  return place === null ? null : encodeCursor(JSON.stringify([sort, order, place.value, place.createdAtMs, place.id]));
}

/** The place in a cursor. Throws `invalid_request` for what is none, or belongs to another order. */
export function parseSortedCursor(cursor: string | undefined, asked: Order): SortedPlace | undefined {
  if (cursor === undefined) return undefined;
  const [sort, order, value, createdAtMs, id] = readPlace(cursor) ?? [];
  if (sort !== asked.sort || order !== asked.order || value === undefined || createdAtMs === undefined || !id) {
    throw refuseField('cursor', 'must be next_cursor of another page of the same sort and order');
  }
  return { value, createdAtMs, id };
}

function readPlace(cursor: string): z.infer<typeof placeSchema> | undefined {
  try {
    return placeSchema.safeParse(JSON.parse(decodeCursor(cursor))).data;
  } catch {
    return undefined;
  }
}
