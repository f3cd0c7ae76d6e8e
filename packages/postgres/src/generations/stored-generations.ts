import {
  fromPacked,
  fromStoredForm,
  type GenerationRecord,
  type Logger,
  type StoredContent,
} from '@model-gateway/core';
import { type RawBuilder, sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { DatabaseConnection } from '../connection/connection.ts';
import { readBlocks } from './content-blocks.ts';
import { dayOfId } from './day-of-generation.ts';

/** Single generations in the database, each found in the partition that its id names. */
export interface StoredGenerations {
  get(id: string): Promise<GenerationRecord | undefined>;
  /** Undefined, too, for one of which a part is missing, which is logged. */
  getContent(id: string): Promise<StoredContent | undefined>;
  getPreview(id: string): Promise<string | undefined>;
  /** Its blocks go with the next sweep, unless another content refers to them. */
  deleteContent(id: string): Promise<boolean>;
}

interface StoredGenerationsOptions extends Pick<DatabaseConnection, 'database'> {
  readonly logger: Logger | undefined;
}

interface ContentRow {
  readonly day: string;
  readonly content: string;
  readonly packed: boolean;
}

/** Creates the reads and deletions of single generations. */
export function createStoredGenerations({ database, logger }: StoredGenerationsOptions): StoredGenerations {
  const find = async (what: RawBuilder<unknown>, id: string): Promise<string | undefined> => {
    const { rows } = await sql<{ text: string | null }>`select ${what} where ${isOf(id)}`.execute(database);
    return rows[0]?.text ?? undefined;
  };
  const findContent = async (id: string): Promise<ContentRow | undefined> => {
    const { rows } = await sql<ContentRow>`
      select day::text as day, content, packed from gateway.contents where ${isOf(id)}`.execute(database);
    return rows[0];
  };
  return {
    async get(id) {
      const text = await find(sql`record as text from gateway.generations`, id);
      return text === undefined ? undefined : (JSON.parse(text) as GenerationRecord);
    },
    async getContent(id) {
      const row = await findContent(id);
      if (row === undefined) return undefined;
      const form: unknown = JSON.parse(row.content);
      if (!row.packed) return fromStoredForm(form);
      const blocks = await readBlocks(database, row.day, row.content);
      if (blocks !== undefined) return fromStoredForm(fromPacked(form, (hash) => blocks.get(hash) ?? 'null'));
      // It is no error when the content was deleted during the read.
      if ((await findContent(id)) !== undefined) {
        logger?.warn('A content cannot be read: a part of it is missing from the database', { generation: id });
      }
      return undefined;
    },
    getPreview: (id) => find(sql`preview as text from gateway.contents`, id),
    async deleteContent(id) {
      const { rows } = await sql`with deleted as (
          delete from gateway.contents where ${isOf(id)} returning day, packed
        ), unswept as (
          insert into gateway.unswept_days (day) select day from deleted where packed
        )
        select from deleted`.execute(database);
      return rows.length > 0;
    },
  };
}

/** An id that does not tell its day is looked for in each. */
function isOf(id: string): RawBuilder<unknown> {
  const day = dayOfId(id);
  return day === undefined ? sql`id = ${toColumnId(id)}` : sql`id = ${toColumnId(id)} and day = ${day}::date`;
}
