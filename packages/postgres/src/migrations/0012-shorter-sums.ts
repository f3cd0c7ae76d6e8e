import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

import { SKETCH_FUNCTIONS, STATUS_SUMS, SUM_FUNCTIONS, SUMS_BY_STATUS } from './shorter-sums/functions.ts';

/**
 * Sums of a span in one row for all statuses, as a chart of a busy month read up to four times as many, and cells in three
 * bytes instead of six: most of the time of a chart with percentiles went into bringing them to the gateway.
 *
 * Processes of a former version read sums as before, and no cells: their percentiles are missing.
 */
export const shorterSumsMigration: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(database);
  },
};

const GRAINS = { days: 86_400_000, three_hours: 10_800_000, half_hours: 1_800_000 };
const TABLES = {
  generation_sums: STATUS_SUMS.map((column) => `, ${column} bigint not null`).join(''),
  generation_sketches: `, status text collate "C" not null, first_tokens bytea not null, speeds bytea not null`,
};

/** Cells of six bytes as entries of three. */
const toShort = (cells: string): string => `(
  select coalesce(string_agg(gateway.to_sketch(cell, counted), ''), '') from (
    select get_byte(${cells}, at) * 256 + get_byte(${cells}, at + 1) - 200 as cell,
      ('x' || encode(substring(${cells} from at + 3 for 4), 'hex'))::bit(32)::integer::bigint as counted
    from generate_series(0, length(${cells}) - 6, 6) as at offset 0
  ) as entries)`;

const STATEMENTS: readonly string[] = [
  // Nothing is added to the sums meanwhile; what was written waits.
  "select pg_advisory_xact_lock(hashtextextended('gateway.fold_generation_changes', 0))",
  ...SKETCH_FUNCTIONS,
  ...Object.entries(TABLES).flatMap(([table, columns]) => [
    `create table gateway.${table} (
       dimension text collate "C" not null,
       grain_ms integer not null,
       start_ms bigint not null,
       value text collate "C" not null
       ${columns}
     ) partition by list (grain_ms)`,
    ...Object.entries(GRAINS).map(
      ([name, ms]) => `create table gateway.${table}_of_${name} partition of gateway.${table}
        for values in (${ms}) with (fillfactor = 80)`,
    ),
  ]),
  `insert into gateway.generation_sums
     select dimension, grain_ms, start_ms, value, ${SUMS_BY_STATUS} from gateway.generation_hours
     group by dimension, grain_ms, start_ms, value order by dimension, grain_ms, start_ms`,
  `insert into gateway.generation_sketches
     select dimension, grain_ms, start_ms, value, status, ${toShort('first_tokens')}, ${toShort('speeds')}
     from gateway.generation_cells order by dimension, grain_ms, start_ms`,
  'alter table gateway.generation_sums add primary key (dimension, grain_ms, start_ms, value)',
  'alter table gateway.generation_sketches add primary key (dimension, grain_ms, start_ms, value, status)',
  ...Object.keys(TABLES).flatMap((table) => [
    `create index ${table}_value on gateway.${table} (dimension, grain_ms, value, start_ms) where dimension <> ''`,
    `analyze gateway.${table}`,
  ]),
  ...SUM_FUNCTIONS,

  // For processes of a former version, which ask for them until they are replaced, as for `to_cells`.
  'drop table gateway.generation_hours, gateway.generation_cells',
  'drop function gateway.add_cells',
  `create view gateway.generation_hours as
     select dimension, grain_ms, start_ms, value, status, requests, cost_nano
     from gateway.generation_sums, lateral (values
       ('ok'::text collate "C", ok, ok_nano), ('failed', failed, failed_nano),
       ('cancelled', cancelled, cancelled_nano), ('interrupted', interrupted, interrupted_nano)
     ) as by_status (status, requests, cost_nano) where requests <> 0 or cost_nano <> 0`,
  `create view gateway.generation_cells as
     select dimension, grain_ms, start_ms, value, status, first_tokens, speeds from gateway.generation_sketches
     where false`,
];
