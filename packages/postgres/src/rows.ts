import {
  type BatchRepository,
  batchResultId,
  type BatchRow,
  OPEN_BATCH_STATUSES,
  type StoredBatch,
  type StoredBatchResult,
  type StoredSubmission,
  type BroadcastDelivery,
  type BroadcastRepository,
  type BroadcastRow,
  type DeliveryAttempt,
  type DeliveryLog,
  type FileRepository,
  type GuardrailHitsRepository,
  type GuardrailHitsRow,
  type Preset,
  type PresetRepository,
  type PromptHead,
  type PromptRepository,
  type Store,
  type RerunPart,
  type RerunRepository,
  type RerunRow,
  type StoredFile,
  type StoredPreset,
  type StoredPrompt,
  type StoredRerun,
  type VideoJob,
  type VideoJobRepository,
} from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from './connection/column-text.ts';
import type { Database } from './database.ts';
import { createSharedEntries, createSweep } from './expiring-rows.ts';
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
import { MAY_BE_OPEN } from './schema/indexes.ts';
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
export function openRows({ connection, logger, clock, keptDays }: StorePartOptions): RowStore {
  const { database } = connection;
  const oldestMs = (): number => Math.max(0, Math.floor(clock.now() - keptDays().days * DAY_MS));
  const sweep = createSweep({ connection, logger, clock, oldestMs });
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
    async listOpenBatches() {
      // In the words of the index, so that it is used.
      const found = await rows.where(sql.raw<boolean>(MAY_BE_OPEN)).execute();
      return found
        .map(({ row }) => JSON.parse(row) as StoredBatch)
        .filter(({ status }) => OPEN_BATCH_STATUSES.includes(status));
    },
    async listSubmissionsOf(batchId) {
      const id = toColumnId(batchId);
      const found = await rows
        .where('batch_id', '=', id)
        .where('is_batch', '=', false)
        .where((where) => where.or([where('id', '<', `${id}.`), where('id', '>=', `${id}/`)]))
        .execute();
      return found.map(({ row }) => JSON.parse(row) as StoredSubmission);
    },
    async pageResultsOf(batchId, { after, limit }) {
      const found = await database
        .selectFrom('batches')
        .select('row')
        // Ids of results are that of the batch, a point and the line; the sign after a point is a slash.
        .where('id', '>', after < 0 ? `${toColumnId(batchId)}.` : toColumnId(batchResultId(batchId, after)))
        .where('id', '<', `${toColumnId(batchId)}/`)
        .orderBy('id')
        .limit(limit)
        .execute();
      return found.map(({ row }) => JSON.parse(row) as StoredBatchResult);
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
