import type { GenerationRecord, StoredContent } from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { DatabaseConnection } from '../connection/connection.ts';
import { dayOfId } from './day-of-generation.ts';

/** Single generations in the database, each found in the partition that its id names. */
export interface StoredGenerations {
  get(id: string): Promise<GenerationRecord | undefined>;
  getContent(id: string): Promise<StoredContent | undefined>;
  getPreview(id: string): Promise<string | undefined>;
  deleteContent(id: string): Promise<boolean>;
}

export function createStoredGenerations({ database }: Pick<DatabaseConnection, 'database'>): StoredGenerations {
  const find = async (what: RawBuilder<unknown>, id: string): Promise<string | undefined> => {
    const { rows } = await sql<{ text: string | null }>`select ${what} where ${isOf(id)}`.execute(database);
    return rows[0]?.text ?? undefined;
  };
  return {
    async get(id) {
      const text = await find(sql`record as text from gateway.generations`, id);
      return text === undefined ? undefined : (JSON.parse(text) as GenerationRecord);
    },
    async getContent(id) {
      const text = await find(sql`content as text from gateway.contents`, id);
      return text === undefined ? undefined : (JSON.parse(text) as StoredContent);
    },
    getPreview: (id) => find(sql`preview as text from gateway.contents`, id),
    async deleteContent(id) {
      const { rows } = await sql`delete from gateway.contents where ${isOf(id)} returning 1`.execute(database);
      return rows.length > 0;
    },
  };
}

/** An id that does not tell its day is looked for in each. */
function isOf(id: string): RawBuilder<unknown> {
  const day = dayOfId(id);
  return day === undefined ? sql`id = ${toColumnId(id)}` : sql`id = ${toColumnId(id)} and day = ${day}::date`;
}
