import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A partition for the sums of each length of span. Sums are written as calls come, those of all lengths in turn, so that
 * a month of days was spread over the pages of a hundred times as many half hours.
 */
export const sumsByGrainMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const SUMS = {
  generation_hours: 'requests bigint not null, cost_nano bigint not null',
  generation_cells: 'first_tokens bytea not null, speeds bytea not null',
};
const GRAINS = { days: 86_400_000, three_hours: 10_800_000, half_hours: 1_800_000 };

const STATEMENTS: readonly string[] = [
  // Nothing is added to the sums meanwhile; what was written waits.
  "select pg_advisory_xact_lock(hashtextextended('gateway.fold_generation_changes', 0))",
  ...Object.entries(SUMS).flatMap(([table, columns]) => [
    `alter table gateway.${table} rename to ${table}_before`,
    `create table gateway.${table} (
       dimension text collate "C" not null,
       grain_ms integer not null,
       start_ms bigint not null,
       value text collate "C" not null,
       status text collate "C" not null,
       ${columns}
     ) partition by list (grain_ms)`,
    ...Object.entries(GRAINS).map(
      ([name, ms]) => `create table gateway.${table}_of_${name} partition of gateway.${table}
        for values in (${ms}) with (fillfactor = 80)`,
    ),
    `insert into gateway.${table} select * from gateway.${table}_before order by dimension, grain_ms, start_ms`,
    `drop table gateway.${table}_before`,
    `alter table gateway.${table} add primary key (dimension, grain_ms, start_ms, value, status)`,
    `create index ${table}_value on gateway.${table} (dimension, grain_ms, value, start_ms) where dimension <> ''`,
  ]),
];
