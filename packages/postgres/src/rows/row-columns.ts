import { type BroadcastRow, type GuardrailHitsRow, hasEnded, hasWork, type VideoJob } from '@model-gateway/core';
import type { Insertable } from 'kysely';

import { toColumnId } from '../connection/column-text.ts';
import type { RowTables } from './row-tables.ts';

/** The columns of a row beside its id and its JSON. */
export type ColumnsOf<Table extends 'video_jobs' | 'broadcasts' | 'guardrail_hits'> = Omit<
  Insertable<RowTables[Table]>,
  'id' | 'position' | 'row'
>;

const DAY_MS = 24 * 60 * 60 * 1000;

const toColumn = (id: string | null | undefined): string | null => (id == null ? null : toColumnId(id));

export function toVideoJobColumns(job: VideoJob): ColumnsOf<'video_jobs'> {
  return {
    ages_from_ms: hasWork(job) ? null : toMs(job.updatedAt),
    principal_id: toColumnId(job.principalId),
    user_id: toColumn(job.userId),
    workspace_id: toColumn(job.workspaceId),
    created_at_ms: toMs(job.createdAt),
    has_ended: hasEnded(job),
    is_working: hasWork(job),
    is_byok: job.isByok,
    reserved_nano: job.reservedNanoUsd,
    generation_id: toColumnId(job.generationId),
    idempotency_key: toColumn(job.idempotency?.key),
    lease_owner: toColumn(job.lease?.ownerId),
    lease_until_ms: job.lease == null ? null : toMs(job.lease.untilMs),
  };
}

export function toBroadcastColumns(row: BroadcastRow): ColumnsOf<'broadcasts'> {
  return row.kind !== 'delivery'
    ? { ages_from_ms: null, destination_id: null }
    : { ages_from_ms: toMs(row.createdAt), destination_id: toColumnId(row.destinationId) };
}

export function toGuardrailHitColumns({ day }: Pick<GuardrailHitsRow, 'day'>): { readonly ages_from_ms: number } {
  return { ages_from_ms: Date.parse(day) + DAY_MS };
}

const toMs = (timeMs: number): number => Math.floor(timeMs);
