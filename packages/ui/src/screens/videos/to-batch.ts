import type { VideoRow } from '@model-gateway/core/wire';

import { isOpen } from '../../features/videos/video-queries.ts';

type Ended = Pick<VideoRow, 'generation_id' | 'ended_at'> & { readonly status: string };

/** Ids that one request for rows of generations may name, with room in its address. */
const BATCH = 50;

/**
 * Ids of the generations that are read together with that of an ended job. Jobs are told apart by when they ended, so
 * that a job which ends later changes the last batch alone.
 */
export function toBatch<Job extends Ended>(job: Job, jobs: readonly Job[]): readonly string[] {
  const ended = jobs.filter((other) => !isOpen(other)).toSorted((a, b) => compare(a.ended_at, b.ended_at));
  const at = ended.indexOf(job);
  if (at === -1) return [job.generation_id];
  const start = at - (at % BATCH);
  return ended.slice(start, start + BATCH).map(({ generation_id: id }) => id);
}

const compare = (a: string | null, b: string | null): number => (a ?? '').localeCompare(b ?? '');
