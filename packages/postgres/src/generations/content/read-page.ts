import type { GenerationPage, GenerationRecord } from '@model-gateway/core';
import { sql } from 'kysely';

import { toColumnId } from '../../connection/column-text.ts';
import type { DatabaseConnection } from '../../connection/database-connection.ts';

/** A page of all generations, newest first: it begins after the place of a record, so that it costs the same anywhere. */
export async function readPage(
  { database }: Pick<DatabaseConnection, 'database'>,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<GenerationPage> {
  const isOlder =
    before === undefined
      ? sql`true`
      : sql`(created_at_ms, id) < (select created_at_ms, id from gateway.generations where id = ${toColumnId(before)})`;
  const { rows } = await sql<{ record: string }>`
    select record from gateway.generations where ${isOlder}
    order by created_at_ms desc, id desc limit ${limit + 1}`.execute(database);
  const records = rows.slice(0, limit).map(({ record }) => JSON.parse(record) as GenerationRecord);
  return { records, next: rows.length > limit ? (records.at(-1)?.generation.id ?? null) : null };
}
