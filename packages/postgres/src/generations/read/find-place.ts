import { sql } from 'kysely';

import type { TimePlace } from './list-rows.ts';
import type { Read } from './reader.ts';

const SECOND_OF_ID = /^gen-(\d{9,10})-/;

/** The place of a generation in the list by time; undefined where it is not there (any more). */
export async function findPlace(read: Read, id: string): Promise<TimePlace | undefined> {
  const [, second] = SECOND_OF_ID.exec(id) ?? [];
  const day = second === undefined ? undefined : new Date(Number(second) * 1000).toISOString().slice(0, 10);
  const isInDay = day === undefined ? sql`true` : sql`g.day = ${day}::date`;
  const [row] = await read(sql<{ created_at_ms: number }>`
    select g.created_at_ms from gateway.generations g where g.id = ${id} and ${isInDay}`);
  return row && { id, createdAtMs: row.created_at_ms };
}
