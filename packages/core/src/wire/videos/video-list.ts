import { z } from 'zod';

import { wholeNumber } from '../page-query.ts';
import { ENDED_STATUSES, OPEN_STATUSES } from './video-status.ts';

const MAX_LIMIT = 1000;
const statusSchema = z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]);

/** The query of `GET /admin/v1/videos`. */
export const videoListQuerySchema = z.object({
  /** Default: all. */
  status: statusSchema.optional(),
  limit: wholeNumber(1, MAX_LIMIT).default(100),
});

const videoRowSchema = z.object({
  id: z.string(),
  status: statusSchema,
  model: z.string(),
  provider_name: z.string(),
  key_hash: z.string(),
  generation_id: z.string(),
  created_at: z.string(),
  /** Null while it is open. */
  ended_at: z.string().nullable(),
  /** Seconds; null for a value that the request did not have, in the next two as well. */
  duration: z.number().nullable(),
  size: z.string().nullable(),
  resolution: z.string().nullable(),
  aspect_ratio: z.string().nullable(),
  /** How many there are to be fetched. */
  videos: z.int(),
  /** USD; null while it is open, and when it is not known. */
  cost: z.number().nullable(),
  error: z.string().nullable(),
});
export type VideoRow = z.infer<typeof videoRowSchema>;

export const videoListSchema = z.object({ data: z.array(videoRowSchema), total_count: z.int() });
