import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The index on costs tells those that are known: calls of unknown cost come first in it, as they cost nothing, and a list
 * with the least first had to read them all to pass over them.
 */
export const knownCostsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`drop index gateway.generations_cost`.execute(database);
    await sql`create index generations_cost on gateway.generations
      (cost_nano, created_at_ms desc, id desc, is_cost_known)`.execute(database);
  },
};
