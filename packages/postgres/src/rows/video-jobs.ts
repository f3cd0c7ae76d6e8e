import type { VideoJob, VideoJobRepository } from '@model-gateway/core';
import { type Kysely, sql } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { Database } from '../database.ts';
import { toVideoJobColumns } from './row-columns.ts';
import { createRowRepository } from './row-repository.ts';

/** Video jobs, of which those that matter now are found by columns of their own. */
export function createVideoJobs(database: Kysely<Database>, oldestMs: () => number): Required<VideoJobRepository> {
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
