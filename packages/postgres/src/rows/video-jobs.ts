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
    async findByIdempotencyKey(principalId, key) {
      const found = await database
        .selectFrom('video_jobs')
        .select('row')
        .where('principal_id', '=', toColumnId(principalId))
        .where('idempotency_key', '=', toColumnId(key))
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
  };
}
