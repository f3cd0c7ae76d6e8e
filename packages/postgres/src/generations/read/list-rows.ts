import { type RawBuilder, sql } from 'kysely';

import { type FactsRow, FACTS, type RecordRow } from './generation-row.ts';
import type { Read } from './reader.ts';

/** A place in the list by time: that of the last generation before it. */
export interface TimePlace {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface TimeQuery {
  readonly where: RawBuilder<unknown>;
  /** Begins with what is older. */
  readonly after: TimePlace | undefined;
  readonly limit: number;
}

export interface PlacedRecord extends RecordRow {
  readonly id: string;
  readonly created_at_ms: number;
}

/** Rows of generations, newest first. */
export const listRows = (read: Read, { where, after, limit }: TimeQuery): Promise<(FactsRow & RecordRow)[]> =>
  read(sql<FactsRow & RecordRow>`select ${FACTS}, g.record from gateway.generations g
    where ${where} and ${isAfter(after)} order by g.created_at_ms desc, g.id desc limit ${limit}`);

/** Records newest first. Those that do not belong to the page are not read. */
export const listRecords = (read: Read, { where, after, limit }: TimeQuery): Promise<PlacedRecord[]> =>
  read(sql<PlacedRecord>`select place.id, place.created_at_ms, one.record
    from (select g.day, g.id, g.created_at_ms from gateway.generations g where ${where} and ${isAfter(after)}
      order by g.created_at_ms desc, g.id desc limit ${limit}) as place
    join gateway.generations one on one.day = place.day and one.id = place.id
    order by place.created_at_ms desc, place.id desc`);

/** The generation that began first from a moment on; undefined without one. */
export async function findFirstFrom(read: Read, fromMs: number): Promise<PlacedRecord | undefined> {
  const [row] = await read(sql<PlacedRecord>`select g.id, g.created_at_ms, g.record
    from gateway.generations g where g.created_at_ms >= ${fromMs}::bigint
    order by g.created_at_ms asc, g.id asc limit 1`);
  return row;
}

/** When the first and the last of all generations began; undefined without any. */
export async function findBounds(read: Read): Promise<{ firstMs: number; lastMs: number } | undefined> {
  const [row] = await read(sql<{ first_ms: number | null; last_ms: number | null }>`
    select min(created_at_ms) as first_ms, max(created_at_ms) as last_ms from gateway.generations`);
  return row?.first_ms == null || row.last_ms === null ? undefined : { firstMs: row.first_ms, lastMs: row.last_ms };
}

const isAfter = (place: TimePlace | undefined): RawBuilder<unknown> =>
  place === undefined
    ? sql`true`
    : sql`(g.created_at_ms, g.id) < (${place.createdAtMs}::bigint, ${place.id}) and g.created_at_ms <= ${place.createdAtMs}::bigint`;
