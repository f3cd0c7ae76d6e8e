import { z } from 'zod';

import { videoResponseSchema } from '../videos/video-response.ts';
import { generationRowSchema } from './generation-list.ts';

const videoEventSchema = videoResponseSchema.extend({
  model: z.string(),
  /** Of the key that started the job. */
  key_hash: z.string(),
});
export type VideoEvent = z.infer<typeof videoEventSchema>;

/** An event of `GET /admin/v1/generations/feed`. */
export const generationFeedEventSchema = z
  .union([
    /** Whole rows, unless `fields` selects a part. */
    z.object({ id: z.string(), event: z.literal('generation'), data: generationRowSchema.partial() }),
    z.object({ id: z.string(), event: z.literal('video'), data: videoEventSchema }),
    /** `reset`: events were missed. Without a name: a generation that is no longer stored. */
    z.object({ id: z.string(), event: z.literal('reset').optional(), data: z.object({}) }),
  ])
  .describe('One server-sent event.');
