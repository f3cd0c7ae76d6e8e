import { z } from 'zod';

import { ENDED_STATUSES, OPEN_STATUSES } from './video-status.ts';

/** A video job as `POST /videos` and `GET /videos/{jobId}` show it (wire.md 15.1). */
export const videoResponseSchema = z.object({
  id: z.string(),
  /** Path without the host. */
  polling_url: z.string(),
  status: z.enum([...OPEN_STATUSES, ...ENDED_STATUSES]),
  /** Absent while the job is open, as are the others below: clients take null for a broken response. */
  generation_id: z.string().optional(),
  /** Why there is no video. */
  error: z.string().optional(),
  /** Addresses of the videos, for holders of the key. */
  unsigned_urls: z.array(z.string()).optional(),
  /** The cost in USD is null when it is not known. Absent only for clients that take no null. */
  usage: z.object({ cost: z.number().nullable().optional(), is_byok: z.boolean() }).optional(),
});
export type VideoResponse = z.infer<typeof videoResponseSchema>;
