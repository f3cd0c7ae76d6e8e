import { type RawBuilder, sql } from 'kysely';

import { FACTS, type FactsRow, type Read, type RecordRow, type Span } from './reader.ts';

/** A place in the list by time: that of the last generation before it. */
export interface TimePlace {
  readonly createdAtMs: number;
  readonly id: string;
}

interface TimeQuery {
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

/** Records newest first. */
export const listRecords = (read: Read, { where, after, limit }: TimeQuery): Promise<PlacedRecord[]> =>
  read(sql<PlacedRecord>`select g.id, g.created_at_ms, g.record from gateway.generations g
    where ${where} and ${isAfter(after)} order by g.created_at_ms desc, g.id desc limit ${limit}`);

/** The one that began first; undefined without one. */
export async function findFirst(
  read: Read,
  { where, after }: Omit<TimeQuery, 'limit'>,
): Promise<PlacedRecord | undefined> {
  const [row] = await read(sql<PlacedRecord>`select g.id, g.created_at_ms, g.record
    from gateway.generations g where ${where} and ${isAfter(after)}
    order by g.created_at_ms asc, g.id asc limit 1`);
  return row;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The days in which all generations began, by their sums; undefined without any. */
export async function findBounds(read: Read): Promise<Span | undefined> {
  const [row] = await read(sql<{ first_ms: number | null; last_ms: number | null }>`
    select least(
      (select min(start_ms) from gateway.generation_sums where dimension = '' and grain_ms = ${sql.lit(DAY_MS)}),
      (select min(created_at_ms) from gateway.generation_changes)) as first_ms,
    greatest(
      (select max(start_ms) from gateway.generation_sums where dimension = '' and grain_ms = ${sql.lit(DAY_MS)}),
      (select max(created_at_ms) from gateway.generation_changes)) as last_ms`);
  if (row?.first_ms == null || row.last_ms === null) return undefined;
  const toDayStart = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;
  return { fromMs: toDayStart(row.first_ms), toMs: toDayStart(row.last_ms) + DAY_MS };
}

const isAfter = (place: TimePlace | undefined): RawBuilder<unknown> =>
  place === undefined
    ? sql`true`
    : sql`(g.created_at_ms, g.id) < (${place.createdAtMs}::bigint, ${place.id}) and g.created_at_ms <= ${place.createdAtMs}::bigint`;
