import type {
  BatchRepository,
  BatchRow,
  StoredBatch,
  StoredBatchResult,
  StoredSubmission,
  BroadcastDelivery,
  BroadcastRepository,
  BroadcastRow,
  DeliveryAttempt,
  DeliveryLog,
  FileRepository,
  GuardrailHitsRepository,
  GuardrailHitsRow,
  Logger,
  Preset,
  PresetRepository,
  PromptHead,
  PromptRepository,
  SharedEntries,
  Store,
  RerunPart,
  RerunRepository,
  RerunRow,
  StoredFile,
  StoredPreset,
  StoredPrompt,
  StoredRerun,
  VideoJob,
  VideoJobRepository,
} from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from './connection/column-text.ts';
import type { DatabaseConnection } from './connection/connection.ts';
import { describeDatabaseError } from './connection/errors.ts';
import type { Database } from './database.ts';
import {
  createRowRepository,
  toBatchColumns,
  toBroadcastColumns,
  toFileColumns,
  toGuardrailHitColumns,
  toPresetColumns,
  toPromptColumns,
  toRerunColumns,
  toVideoJobColumns,
} from './row-repository.ts';
import type { StorePart, StorePartOptions } from './store-part.ts';

/** The rows of a store that change often. */
interface RowStore extends StorePart {
  readonly repositories: Required<
    Pick<
      Store,
      | 'videoJobs'
      | 'broadcasts'
      | 'guardrailHits'
      | 'prompts'
      | 'presets'
      | 'reruns'
      | 'files'
      | 'batches'
      | 'deliveries'
      | 'entries'
    >
  >;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes them; nothing is read or written before a method is called. */
export function openRows({ connection, logger, now, keptDays }: StorePartOptions): RowStore {
  const { database } = connection;
  const oldestMs = (): number => Math.max(0, Math.floor(now() - keptDays().days * DAY_MS));
  const sweep = createSweep({ connection, logger, oldestMs });
  return {
    repositories: {
      videoJobs: createVideoJobs(database, oldestMs),
      broadcasts: createBroadcasts(database, oldestMs),
      guardrailHits: createGuardrailHitRows(database, oldestMs),
      prompts: createPrompts(database, oldestMs),
      presets: createPresets(database, oldestMs),
      reruns: createReruns(database, oldestMs),
      files: createFiles(database, oldestMs),
      batches: createBatches(database, oldestMs),
      deliveries: createDeliveryLog(database),
      entries: createSharedEntries(database),
    },
    start: sweep.start,
    close: sweep.close,
  };
}

/** Video jobs, of which those that matter now are found by columns of their own. */
function createVideoJobs(database: Kysely<Database>, oldestMs: () => number): Required<VideoJobRepository> {
  const parse = ({ row }: { readonly row: string }): VideoJob => JSON.parse(row) as VideoJob;
  return {
    ...createRowRepository<VideoJob>({ database, table: 'video_jobs', toColumns: toVideoJobColumns, oldestMs }),
    async listWorking({ freeAtMs, limit }) {
      const working = database.selectFrom('video_jobs').select('row').where('is_working', '=', true);
      const free =
        freeAtMs === undefined
          ? working
          : working.where(sql<boolean>`coalesce(lease_until_ms, 0) <= ${Math.floor(freeAtMs)}`);
      return (await free.orderBy('position').limit(limit).execute()).map(parse);
    },
    async findByIdempotencyKey(principalId, key, exceptId) {
      const ordered = database
        .selectFrom('video_jobs')
        .select('row')
        .where('principal_id', '=', toColumnId(principalId))
        .where('idempotency_key', '=', toColumnId(key));
      const found = await (exceptId === undefined ? ordered : ordered.where('id', '!=', toColumnId(exceptId)))
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirst();
      return found && parse(found);
    },
    async listNewest(limit) {
      const found = await database
        .selectFrom('video_jobs')
        .select('row')
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return found.map(parse);
    },
    async page({ status, announcement, limit }) {
      const chosen = database
        .selectFrom('video_jobs')
        .where((where) =>
          where.and([
            sql<boolean>`(ages_from_ms is null or ages_from_ms > ${oldestMs()})`,
            ...(status === undefined ? [] : [where('status', '=', status)]),
            ...(announcement === undefined ? [] : [where('announcement', 'is not', null)]),
            ...(announcement === undefined || announcement === 'any' ? [] : [where('announcement', '=', announcement)]),
          ]),
        );
      const found = await chosen
        .select(['row', chosen.select(({ fn }) => fn.countAll<string>().as('n')).as('total')])
        .orderBy('created_at_ms', 'desc')
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return { jobs: found.map(parse), totalCount: Number(found[0]?.total ?? 0) };
    },
    async listOrdered({ sinceMs, untilMs }) {
      const found = await database
        .selectFrom('video_jobs')
        .select('row')
        .where('created_at_ms', '>=', Math.floor(sinceMs))
        .where('created_at_ms', '<=', Math.floor(untilMs))
        .execute();
      return found.map(parse);
    },
  };
}

/** What is left to broadcast, of which the deliveries to a destination are found by columns of their own. */
function createBroadcasts(database: Kysely<Database>, oldestMs: () => number): Required<BroadcastRepository> {
  const parse = ({ row }: { readonly row: string }): BroadcastDelivery => JSON.parse(row) as BroadcastDelivery;
  return {
    ...createRowRepository<BroadcastRow>({ database, table: 'broadcasts', toColumns: toBroadcastColumns, oldestMs }),
    async listOf(destinationId) {
      const found = await database
        .selectFrom('broadcasts')
        .select('row')
        .where('destination_id', '=', toColumnId(destinationId))
        .where('ages_from_ms', '>', oldestMs())
        .orderBy('position')
        .execute();
      return found.map(parse);
    },
    async page({ destinationId, state, limit }) {
      const chosen = database
        .selectFrom('broadcasts')
        .where((where) =>
          where.and([
            where('destination_id', 'is not', null),
            where('ages_from_ms', '>', oldestMs()),
            ...(destinationId === undefined ? [] : [where('destination_id', '=', toColumnId(destinationId))]),
            ...(state === undefined ? [] : [where('state', '=', state)]),
          ]),
        );
      const found = await chosen
        .select(['row', chosen.select(({ fn }) => fn.countAll<string>().as('n')).as('total')])
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return { deliveries: found.map(parse), totalCount: Number(found[0]?.total ?? 0) };
    },
  };
}

/** What guardrails did, of which some days are found by when they begin to age. */
function createGuardrailHitRows(database: Kysely<Database>, oldestMs: () => number): Required<GuardrailHitsRepository> {
  const toAge = (day: string): number => toGuardrailHitColumns({ day }).ages_from_ms;
  return {
    ...createRowRepository<GuardrailHitsRow>({
      database,
      table: 'guardrail_hits',
      toColumns: toGuardrailHitColumns,
      oldestMs,
    }),
    async listDays({ from, to, guardrailId }) {
      let chosen = database.selectFrom('guardrail_hits').select('row').where('ages_from_ms', '>', oldestMs());
      if (from !== undefined) chosen = chosen.where('ages_from_ms', '>=', toAge(from));
      if (to !== undefined) chosen = chosen.where('ages_from_ms', '<=', toAge(to));
      if (guardrailId !== undefined)
        chosen = chosen.where(sql<boolean>`starts_with(id, ${toColumnId(`${guardrailId} `)})`);
      const found = await chosen.orderBy('position').execute();
      return found.map(({ row }) => JSON.parse(row) as GuardrailHitsRow);
    },
  };
}

/** Prompts, of which lists read the heads alone. */
function createPrompts(database: Kysely<Database>, oldestMs: () => number): Required<PromptRepository> {
  return {
    ...createRowRepository<StoredPrompt>({ database, table: 'prompts', toColumns: toPromptColumns, oldestMs }),
    async listHeads() {
      const found = await database.selectFrom('prompts').select('head').orderBy('position').execute();
      return found.map(({ head }) => JSON.parse(head) as PromptHead);
    },
  };
}

/** Presets, of which lists read the heads of one workspace. */
function createPresets(database: Kysely<Database>, oldestMs: () => number): Required<PresetRepository> {
  return {
    ...createRowRepository<StoredPreset>({ database, table: 'presets', toColumns: toPresetColumns, oldestMs }),
    async listHeads(workspaceId) {
      const heads = database.selectFrom('presets').select('head').where('workspace_id', '=', toColumnId(workspaceId));
      return (await heads.orderBy('position').execute()).map(({ head }) => JSON.parse(head) as Preset);
    },
  };
}

/** Reruns and their items, of which lists read what they show. */
function createReruns(database: Kysely<Database>, oldestMs: () => number): Required<RerunRepository> {
  const rows = database.selectFrom('reruns').select('row').orderBy('position');
  return {
    ...createRowRepository<RerunRow>({ database, table: 'reruns', toColumns: toRerunColumns, oldestMs }),
    async listReruns() {
      const found = await rows.where('is_rerun', '=', true).execute();
      return found.map(({ row }) => JSON.parse(row) as StoredRerun);
    },
    async listPartsOf(rerunId) {
      const found = await rows.where('rerun_id', '=', toColumnId(rerunId)).where('is_rerun', '=', false).execute();
      return found.map(({ row }) => JSON.parse(row) as RerunPart);
    },
  };
}

/** What is known of files, of which lists read those of a workspace. */
function createFiles(database: Kysely<Database>, oldestMs: () => number): Required<FileRepository> {
  return {
    ...createRowRepository<StoredFile>({ database, table: 'files', toColumns: toFileColumns, oldestMs }),
    async listOf(workspaceId) {
      const found = await database
        .selectFrom('files')
        .select('row')
        .where('workspace_id', '=', toColumnId(workspaceId))
        .orderBy('position')
        .execute();
      return found.map(({ row }) => JSON.parse(row) as StoredFile);
    },
  };
}

/** Batches, with the results of their lines and what of them is with providers. */
function createBatches(database: Kysely<Database>, oldestMs: () => number): Required<BatchRepository> {
  const rows = database.selectFrom('batches').select('row').orderBy('position');
  return {
    ...createRowRepository<BatchRow>({ database, table: 'batches', toColumns: toBatchColumns, oldestMs }),
    async listBatches() {
      const found = await rows.where('is_batch', '=', true).execute();
      return found.map(({ row }) => JSON.parse(row) as StoredBatch);
    },
    async listPartsOf(batchId) {
      const found = await rows.where('batch_id', '=', toColumnId(batchId)).where('is_batch', '=', false).execute();
      return found.map(({ row }) => JSON.parse(row) as StoredBatchResult | StoredSubmission);
    },
  };
}

/** What became of deliveries, a row an attempt. */
function createDeliveryLog(database: Kysely<Database>): DeliveryLog {
  return {
    async append(attempt) {
      const generation_ids = attempt.generationIds.map(toColumnId);
      const sent_at_ms = Math.floor(attempt.sentAt);
      await database
        .insertInto('deliveries')
        .values({ row: JSON.stringify(attempt), generation_ids, sent_at_ms })
        .execute();
    },
    async of(generationId, createdAtMs) {
      const found = await database
        .selectFrom('deliveries')
        .select('row')
        .where(sql<boolean>`generation_ids @> array[${toColumnId(generationId)}]::text[]`)
        // Clocks of machines may differ.
        .where('sent_at_ms', '>=', Math.floor(createdAtMs - DAY_MS))
        .orderBy('sent_at_ms')
        .orderBy('position')
        .execute();
      return found.map(({ row }) => JSON.parse(row) as DeliveryAttempt);
    },
  };
}

/** Entries that expire by the clock of the database, the same for every process. */
function createSharedEntries(database: Kysely<Database>): SharedEntries {
  // Not `now()`: a statement may have waited for another one to end.
  const isAlive = sql<boolean>`expires_at > clock_timestamp()`;
  const toExpiry = (ttlMs: number) => sql<Date>`clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond'`;
  const toRow = (id: string, value: string, ttlMs: number) => ({
    id: toColumnId(id),
    value: JSON.stringify(value),
    expires_at: toExpiry(ttlMs),
  });
  const parse = (value: string): string => JSON.parse(value) as string;

  const get: SharedEntries['get'] = async (id) => {
    const found = await database
      .selectFrom('entries')
      .select('value')
      .where('id', '=', toColumnId(id))
      .where(isAlive)
      .executeTakeFirst();
    return found && parse(found.value);
  };
  return {
    get,
    async put(id, value, ttlMs) {
      await database
        .insertInto('entries')
        .values(toRow(id, value, ttlMs))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(({ ref }) => ({
            value: ref('excluded.value'),
            expires_at: ref('excluded.expires_at'),
          })),
        )
        .execute();
    },
    async claim(id, value, ttlMs) {
      for (;;) {
        const { numInsertedOrUpdatedRows: put = 0n } = await database
          .insertInto('entries')
          .values(toRow(id, value, ttlMs))
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet(({ ref }) => ({ value: ref('excluded.value'), expires_at: ref('excluded.expires_at') }))
              .where(sql<boolean>`entries.expires_at <= clock_timestamp()`),
          )
          .executeTakeFirstOrThrow();
        if (put > 0n) return undefined;
        const present = await get(id);
        if (present !== undefined) return present;
        // It has gone in between.
      }
    },
    async renew(id, value, ttlMs) {
      const { numUpdatedRows } = await database
        .updateTable('entries')
        .set({ expires_at: toExpiry(ttlMs) })
        .where('id', '=', toColumnId(id))
        .where('value', '=', JSON.stringify(value))
        .where(isAlive)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async take(id, value) {
      const found = database.deleteFrom('entries').where('id', '=', toColumnId(id));
      const taken = await (value === undefined ? found : found.where('value', '=', JSON.stringify(value)))
        .returning(['value', isAlive.as('is_alive')])
        .executeTakeFirst();
      return taken?.is_alive === true ? parse(taken.value) : undefined;
    },
  };
}

interface SweepOptions {
  readonly connection: Pick<DatabaseConnection, 'address' | 'database'>;
  readonly logger: Logger | undefined;
  readonly oldestMs: () => number;
}

interface Sweep {
  start(): Promise<void>;
  close(): Promise<void>;
}

const SWEEP_EVERY_MS = 10 * 60 * 1000;
/** A sweep is no burden for a database that has not been swept for long. */
const MAX_SWEPT_ROWS = 5000;

/** Removes now and then what retention drops and what has expired. Several processes may do so at once. */
function createSweep({ connection, logger, oldestMs }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  const remove = async (table: string, key: string, condition: ReturnType<typeof sql>): Promise<void> => {
    const from = sql.id('gateway', table);
    await sql`
      delete from ${from} where ${sql.ref(key)} in (
        select ${sql.ref(key)} from ${from} where ${condition} limit ${MAX_SWEPT_ROWS} for update skip locked
      )`.execute(connection.database);
  };
  const sweep = async (): Promise<void> => {
    try {
      await remove('entries', 'id', sql`expires_at <= now()`);
      await remove('deliveries', 'position', sql`sent_at_ms <= ${oldestMs()}`);
      for (const table of ['video_jobs', 'broadcasts', 'guardrail_hits'])
        await remove(table, 'id', sql`ages_from_ms <= ${oldestMs()}`);
    } catch (error) {
      logger?.warn('Old rows could not be removed; that is tried again later', {
        reason: describeDatabaseError(error, connection.address).message,
      });
    }
  };
  const begin = (): void => {
    sweeping = sweep().finally(() => {
      sweeping = undefined;
    });
  };
  return {
    async start() {
      timer = setInterval(begin, SWEEP_EVERY_MS).unref();
      begin();
    },
    async close() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
